"""Which package may use which: docs/architecture.md has the same table with reasons."""

# From the lowest to the highest; everybody may use base. What is not allowed
# here is not visible, so that Bazel refuses it. tools/check_includes compares
# this with the document, and does for #include what Bazel does for deps.
MAY_USE = {
    "base": [],
    "memory": [],
    "pjrt": [],
    "graph": [],
    "kernels": ["graph", "pjrt"],
    "collectives": ["graph", "pjrt"],
    "distributed": ["collectives", "pjrt"],
    "profiling": ["pjrt"],
    "program": ["graph"],
    "nn": ["graph"],
    "config": [],
    "augment": ["graph"],
    "model": ["config", "graph", "nn"],
    "predictors": ["config", "graph"],
    "optimizers": ["config", "graph"],
    "methods": ["config", "graph", "model"],
    "settings": ["config", "methods", "model", "nn", "optimizers", "predictors"],
    "step": ["augment", "config", "graph", "methods", "model", "nn", "optimizers", "predictors", "program"],
    "input": ["augment"],
    "runtime": ["config", "kernels", "pjrt", "program", "step"],
    "checkpoint": ["config", "model", "settings", "step"],
    "metrics": [],
    "eval": ["augment", "checkpoint", "config", "graph", "input", "methods", "metrics", "model", "nn", "pjrt", "program", "runtime", "step"],
    "page": [],
    "reporting": ["augment", "config", "eval", "input", "metrics", "page", "program", "runtime"],
    "inspect": ["config", "page", "pjrt", "program", "runtime", "step"],
    "scaling": ["config", "inspect", "pjrt", "runtime", "settings"],
    "training": ["augment", "checkpoint", "config", "distributed", "eval", "input", "metrics", "pjrt", "profiling", "reporting", "runtime", "step"],
    "studies": ["checkpoint", "config", "metrics", "page", "reporting", "runtime", "settings"],
    "cli": ["everything above"],
}

def _may_use(user, package):
    uses = MAY_USE[user]
    return user == package or package == "base" or package in uses or uses == ["everything above"]

def package_users():
    """Declares users_of_PACKAGE for every package: the default_visibility of its BUILD file.

    The programs in xla_byol/*.cc and the tests may use everything.
    """
    for package in MAY_USE:
        native.package_group(
            name = "users_of_" + package,
            packages = [
                "//xla_byol/{}/...".format(user)
                for user in MAY_USE
                if _may_use(user, package)
            ] + [
                "//xla_byol",
                "//tests/...",
            ],
        )

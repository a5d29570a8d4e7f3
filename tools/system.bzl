"""Repositories over Debian's packages, for the Bazel that knows no registry (see WORKSPACE)."""

# Repositories written in tools/deps, one folder each.
_OURS = [
    "com_github_google_benchmark",
    "com_google_absl",
    "com_google_googletest",
    "com_google_protobuf",
    "libjpeg_turbo",
    "libpng",
    "remote_coverage_tools",
    "rules_cc",
    "rules_shell",
    "zlib",
]

# Repositories that Debian ships whole.
_DEBIAN = {
    "bazel_skylib": "/usr/share/bazel/tools/skylib",
    "rules_java": "/usr/share/bazel/rules/java",
}

# Packages of headers in a folder of their own; their BUILD files are tools/deps/<name>.BUILD.
_HEADERS = {
    "eigen": "/usr/include/eigen3",
}

# Packages that only --config=cluster needs, and tools/bazel installs then.
_CLUSTER = {
    "gloo": "/usr/include/gloo",
    "pmix": "/usr/lib/x86_64-linux-gnu/pmix2/include",
}

def system_repositories():
    for name in _OURS:
        native.local_repository(name = name, path = "tools/deps/" + name)
    for name, path in _DEBIAN.items():
        native.local_repository(name = name, path = path)
    for name, path in dict(_HEADERS, **_CLUSTER).items():
        native.new_local_repository(name = name, path = path, build_file = "//tools:deps/%s.BUILD" % name)

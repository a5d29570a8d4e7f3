"""The wheels for MODULE.bazel (Bazel 4 has no module_extension, so this stands apart from wheels.bzl)."""

load(":wheels.bzl", "wheel_repositories")

wheels = module_extension(implementation = lambda ctx: wheel_repositories())

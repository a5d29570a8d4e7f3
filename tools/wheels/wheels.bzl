"""PyPI wheels as repositories: PJRT plugins, NVIDIA's assembler, and the Python that tests compare with.

A wheel is fetched by pip, so that a machine's own index, proxy and cache settings apply, and checked against its
SHA-256. A repository is fetched only when a target that needs it is built.
"""

def _unavailable(ctx, what, result):
    lines = [line for line in (result.stderr + result.stdout).splitlines() if line.strip()]
    fail("{} cannot be had from PyPI, and the target you asked for needs it: {} (pip says: {})".format(
        what,
        "check the network and pip's settings, or build another target",
        lines[-1] if lines else "nothing",
    ))

def _pip_wheel_impl(ctx):
    python = ctx.which("python3")
    if not python:
        fail("python3 is not installed, and {} is fetched with pip: install python3 and python3-pip".format(ctx.attr.package))
    requirement = "{}=={}".format(ctx.attr.package, ctx.attr.version)

    # The platform is fixed so that every machine gets the one file whose hash stands in the lock.
    ctx.file("lock.txt", "{} --hash=sha256:{}\n".format(requirement, ctx.attr.sha256))
    result = ctx.execute(
        [python, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:"] +
        ["--python-version=3.11", "--implementation=cp", "--abi=cp311", "--abi=none", "--dest=wheel"] +
        ["--platform=" + platform for platform in ctx.attr.platforms] +
        ["--requirement=lock.txt"],
        timeout = 1800,
    )
    if result.return_code:
        _unavailable(ctx, requirement, result)
    wheel = ctx.path("wheel").readdir()[0]
    result = ctx.execute([python, "-m", "zipfile", "-e", wheel, "."], timeout = 600)
    if result.return_code:
        fail("{} does not unpack: {}".format(wheel.basename, result.stderr))
    ctx.delete("wheel")
    for path in ctx.attr.executables:
        ctx.execute(["chmod", "+x", path])
    ctx.file("BUILD", ctx.attr.build)

pip_wheel = repository_rule(
    implementation = _pip_wheel_impl,
    attrs = {
        "build": attr.string(mandatory = True),
        "executables": attr.string_list(doc = "Files that must be executable; pip's zip forgets it."),
        "package": attr.string(mandatory = True),
        "platforms": attr.string_list(mandatory = True),
        "sha256": attr.string(mandatory = True),
        "version": attr.string(mandatory = True),
    },
)

def _python_environment_impl(ctx):
    python = ctx.which("python3")
    if not python:
        fail("python3 is not installed: the tests that compare with JAX or TensorBoard need it")
    result = ctx.execute(
        [python, "-m", "pip", "install", "--quiet", "--require-hashes", "--only-binary=:all:", "--target=site"] +
        ["--no-warn-conflicts"] + ([] if ctx.attr.with_dependencies else ["--no-deps"]) +
        ["--requirement=" + str(ctx.path(ctx.attr.requirements))],
        timeout = 1800,
    )
    if result.return_code:
        _unavailable(ctx, "the Python packages of {}".format(ctx.attr.requirements), result)

    # One launcher instead of thousands of runfiles: the packages stay where they were installed.
    ctx.file("python", """#!/bin/sh
PYTHONPATH="{}" PYTHONDONTWRITEBYTECODE=1 exec "{}" "$@"
""".format(ctx.path("site"), python), executable = True)
    ctx.file("BUILD", """exports_files(["python"])\n""")

python_environment = repository_rule(
    implementation = _python_environment_impl,
    attrs = {
        "requirements": attr.label(mandatory = True),
        "with_dependencies": attr.bool(default = True, doc = "False: only what the file lists, whatever that asks for."),
    },
)

# Bazel 9 has no C++ rules of its own.
_LOAD_CC = """load("@rules_cc//cc:defs.bzl", "cc_import", "cc_library")

"""

_PLUGIN = """package(default_visibility = ["//visibility:public"])

filegroup(
    name = "plugin",
    srcs = ["{}"],
)
"""

# The C API's header travels with the CPU plugin: nothing of OpenXLA is copied into this repository.
_CPU_HEADER = """
cc_library(
    name = "pjrt_c_api",
    hdrs = ["xla_plugins/xla_cpu_pjrt/include/pjrt_c_api.h"],
    includes = ["xla_plugins/xla_cpu_pjrt/include"],
)
"""

_PTXAS = """package(default_visibility = ["//visibility:public"])

filegroup(
    name = "ptxas",
    srcs = ["nvidia/cuda_nvcc/bin/ptxas"] + glob(["nvidia/cuda_nvcc/nvvm/libdevice/*"]),
)
"""

# Two wheels: the library, and the headers apart from it.
_ONEDNN = """package(default_visibility = ["//visibility:public"])

cc_import(
    name = "library",
    shared_library = "onednn_cpu_gomp-2023.2.0.data/data/lib/libdnnl.so.3",
)

cc_library(
    name = "onednn",
    deps = [
        ":library",
        "@onednn_headers",
    ],
)
"""

_ONEDNN_HEADERS = """cc_library(
    name = "onednn_headers",
    hdrs = glob(["onednn_devel_cpu_gomp-2023.2.0.data/data/include/**/*.h"]),
    includes = ["onednn_devel_cpu_gomp-2023.2.0.data/data/include"],
    visibility = ["//visibility:public"],
)
"""

def wheel_repositories():
    """Declares every repository made of wheels."""
    pip_wheel(
        name = "pjrt_cpu",
        package = "xla-cpu-pjrt",
        version = "0.0.1",
        sha256 = "55837b6b7b47daa717f2d9a5a03563ea0ceaa338d06a81a1e2d3f060d960decc",
        platforms = ["manylinux_2_27_x86_64"],
        build = _LOAD_CC + _PLUGIN.format("xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so") + _CPU_HEADER,
    )
    pip_wheel(
        name = "pjrt_tpu",
        package = "libtpu",
        version = "0.0.51",
        sha256 = "ba67ddbfdbac61c8da1fafc26cd51b93e9fe4d298016e2882eb986b1718cba34",
        platforms = ["manylinux_2_31_x86_64"],
        build = _PLUGIN.format("libtpu/libtpu.so"),
    )
    pip_wheel(
        name = "pjrt_gpu",
        package = "jax-cuda12-pjrt",
        version = "0.12.0.1",
        sha256 = "5ec28e06198d094031c37590b4ea753ae8cde4879ab4b60baf40f0dffb673286",
        platforms = ["manylinux_2_27_x86_64"],
        build = _PLUGIN.format("jax_plugins/xla_cuda12/xla_cuda_plugin.so"),
    )

    # The last release on PyPI that needs no SYCL.
    pip_wheel(
        name = "onednn",
        package = "onednn-cpu-gomp",
        version = "2023.2.0",
        sha256 = "2f22a54d6a890ed14bfa185d42a4be65d8b5b1df85dc1f0f3a9abe31620416fb",
        platforms = ["manylinux1_x86_64"],
        build = _LOAD_CC + _ONEDNN,
    )
    pip_wheel(
        name = "onednn_headers",
        package = "onednn-devel-cpu-gomp",
        version = "2023.2.0",
        sha256 = "9763c69e8c907e119056bd52ad918ca84ac9ba939d130a99dfa95ccca3e5e284",
        platforms = ["manylinux1_x86_64"],
        build = _LOAD_CC + _ONEDNN_HEADERS,
    )
    pip_wheel(
        name = "ptxas",
        package = "nvidia-cuda-nvcc-cu12",
        version = "12.9.86",
        sha256 = "5d6a0d32fdc7ea39917c20065614ae93add6f577d840233237ff08e9a38f58f0",
        platforms = ["manylinux2010_x86_64", "manylinux_2_12_x86_64"],
        executables = ["nvidia/cuda_nvcc/bin/ptxas"],
        build = _PTXAS,
    )
    python_environment(
        name = "python_oracle",
        requirements = "@//tools/wheels:oracle_requirements.txt",
    )
    python_environment(
        name = "python_tensorboard",
        requirements = "@//tools/wheels:tensorboard_requirements.txt",
        with_dependencies = False,
    )
    python_environment(
        name = "python_xprof",
        requirements = "@//tools/wheels:xprof_requirements.txt",
        with_dependencies = False,
    )

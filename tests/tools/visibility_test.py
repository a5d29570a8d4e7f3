#!/usr/bin/env python3
"""Bazel itself refuses what xla_byol/packages.bzl does not allow.

A workspace with one empty target per package, and for every pair of packages a target that depends on the other's. It
loads no rules, so it needs neither a compiler nor a network.
"""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(sys.argv[1])
UNRESTRICTED = ["everything above"]


def bazel_errors(table: dict[str, list[str]], root: pathlib.Path) -> set[tuple[str, str]]:
    """Pairs of a package and one that Bazel did not let it see."""
    (root / "WORKSPACE").write_text('workspace(name = "scratch")\n')
    (root / "xla_byol").mkdir()
    shutil.copy(TABLE, root / "xla_byol/packages.bzl")
    (root / "xla_byol/BUILD").write_text('load(":packages.bzl", "package_users")\npackage_users()\n')
    for package in table:
        lines = [f'package(default_visibility = ["//xla_byol:users_of_{package}"])', 'filegroup(name = "it")']
        lines += [f'filegroup(name = "uses_{other}", srcs = ["//xla_byol/{other}:it"])' for other in table]
        (root / "xla_byol" / package).mkdir()
        (root / "xla_byol" / package / "BUILD").write_text("\n".join(lines) + "\n")
    environment = {"PATH": os.environ["PATH"], "HOME": str(root)}
    version = subprocess.run(["bazel", "--version"], cwd=root, env=environment, text=True, capture_output=True).stdout
    # Bazel 7 would ask a registry for its own modules; earlier ones do not know the flag, later ones no WORKSPACE.
    options = ["--noenable_bzlmod"] if version.startswith("bazel 7.") else []
    run = subprocess.run(
        ["bazel", f"--output_user_root={root.parent}/bazel", "--batch", "--host_jvm_args=-Xmx300m", "build",
         *options, "--nobuild", "--keep_going", "--noshow_progress", "//..."],
        cwd=root, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    errors = re.findall(r"target '//xla_byol/(\w+):it' is not visible from target '//xla_byol/(\w+):uses_\w+'", run.stdout)
    known = ("is not visible from", "Analysis of target", "not all targets were analyzed", "Build did NOT complete")
    other = [line for line in run.stdout.splitlines()
             if line.startswith("ERROR") and not any(words in line for words in known)]
    if other or "Analyzed" not in run.stdout:
        sys.exit(run.stdout)
    return {(user, used) for used, user in errors}


def main():
    tree = ast.parse(TABLE.read_text())
    table = next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign))
    order = list(table)
    expected = set()
    for user, uses in table.items():
        for used in order:
            allowed = used in (user, "base") or used in uses or uses == UNRESTRICTED
            if not allowed:
                expected.add((user, used))
    # The edges that matter most, written down once more.
    assert expected >= {("graph", "pjrt"), ("input", "graph"), ("input", "pjrt"), ("input", "config"), ("base", "graph"),
                        ("graph", "nn"), ("runtime", "cli"), ("training", "cli"), ("inspect", "cli"), ("scaling", "cli")}, expected
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
        root = pathlib.Path(folder) / "workspace"
        root.mkdir()
        refused = bazel_errors(table, root)
    for user, used in sorted(expected - refused):
        print(f"{user} can use {used}, which it may not")
    for user, used in sorted(refused - expected):
        print(f"{user} cannot use {used}, which it may")
    if refused != expected:
        sys.exit(1)
    print(f"{len(refused)} of {len(table) ** 2} pairs are refused, as the table says")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""tools/check_includes on files that keep to the table and files that do not."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(sys.argv.pop(1)).resolve()

FILES = {
    "xla_byol/packages.bzl": 'MAY_USE = {"base": [], "graph": [], "nn": ["graph"], "cli": ["everything above"]}\n',
    "docs/architecture.md": "| package | holds | may use |\n|---|---|---|\n| `base` | a | |\n| `graph` | b | |\n"
                            "| `nn` | c | `graph` (only ops.h) |\n| `cli` | d | everything above |\n",
    "xla_byol/base/BUILD": 'package(default_visibility = ["//xla_byol:users_of_base"])\n'
                           'cc_library(name = "files", hdrs = ["files.h"])\n',
    "xla_byol/base/files.h": "",
    "xla_byol/graph/BUILD": 'load("@rules_cc//cc:defs.bzl", "cc_library")\n'
                            'package(default_visibility = ["//xla_byol:users_of_graph"])\n'
                            'cc_library(name = "graph", srcs = glob(["*.cc"]) + ["infer.h"], hdrs = ["ops.h"],\n'
                            '           deps = ["//xla_byol/base:files"])\n'
                            'cc_library(name = "internals", hdrs = ["infer.h"], visibility = ["//tests/graph:__pkg__"])\n',
    "xla_byol/graph/ops.h": "",
    "xla_byol/graph/infer.h": "",
    "xla_byol/graph/ops.cc": '#include "xla_byol/graph/ops.h"\n#include "xla_byol/base/files.h"\n'
                             '#include "xla_byol/graph/infer.h"\n',
    "xla_byol/nn/BUILD": 'package(default_visibility = ["//xla_byol:users_of_nn"])\n'
                         'cc_library(name = "nn", srcs = ["nn.cc"], hdrs = ["nn.h"], deps = ["//xla_byol/graph"])\n',
    "xla_byol/nn/nn.h": '#include "xla_byol/graph/ops.h"\n',
    "xla_byol/nn/nn.cc": '#include "xla_byol/nn/nn.h"\n',
    "xla_byol/cli/BUILD": 'package(default_visibility = ["//xla_byol:users_of_cli"])\n',
    "tests/graph/BUILD": 'cc_test(name = "infer_test", srcs = ["infer_test.cc"],\n'
                         '        deps = ["//xla_byol/graph", "//xla_byol/graph:internals"])\n',
    "tests/graph/infer_test.cc": '#include "xla_byol/graph/infer.h"\n',
}


class CheckIncludesTest(unittest.TestCase):

    def said(self, changes: dict[str, str]) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (FILES | changes).items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            run = subprocess.run([sys.executable, CHECK, folder], text=True, stderr=subprocess.PIPE)
        lines = [line.removeprefix("check_includes: ") for line in run.stderr.splitlines()]
        self.assertEqual(run.returncode, 1 if lines else 0, run.stderr)
        return lines

    def test_what_is_allowed(self):
        self.assertEqual(self.said({}), [])

    def test_a_backward_include(self):
        self.assertEqual(self.said({"xla_byol/graph/ops.cc": '#include "xla_byol/nn/nn.h"\n'}),
                         ["xla_byol/graph/ops.cc includes xla_byol/nn/nn.h, but xla_byol/packages.bzl does not let graph "
                          "use nn"])

    def test_an_include_without_a_dep(self):
        self.assertEqual(self.said({"xla_byol/nn/nn.cc": '#include "xla_byol/base/files.h"\n'}),
                         ["xla_byol/nn/nn.cc includes xla_byol/base/files.h, but nn has no dep in //xla_byol/base"])

    def test_an_internal_header(self):
        self.assertEqual(self.said({"xla_byol/nn/nn.cc": '#include "xla_byol/graph/infer.h"\n'}),
                         ["xla_byol/nn/nn.cc includes xla_byol/graph/infer.h, which is internal to //xla_byol/graph"])
        build = FILES["tests/graph/BUILD"].replace(', "//xla_byol/graph:internals"', "")
        self.assertEqual(self.said({"tests/graph/BUILD": build}),
                         ["tests/graph/infer_test.cc includes xla_byol/graph/infer.h, but infer_test has no dep "
                          "//xla_byol/graph:internals"])

    def test_visibility(self):
        public = FILES["xla_byol/nn/BUILD"].replace("//xla_byol:users_of_nn", "//visibility:public")
        self.assertEqual(self.said({"xla_byol/nn/BUILD": public}),
                         ["xla_byol/nn/BUILD: default_visibility must be ['//xla_byol:users_of_nn']",
                          "xla_byol/nn/BUILD makes something public"])

    def test_two_tables(self):
        document = FILES["docs/architecture.md"].replace("`graph` (only ops.h)", "")
        self.assertEqual(self.said({"docs/architecture.md": document}),
                         ["xla_byol/packages.bzl and docs/architecture.md differ in nn"])

    def test_rows_and_packages_are_the_same(self):
        self.assertEqual(self.said({"xla_byol/new/BUILD": ""}), ["xla_byol/packages.bzl has no row for new"])
        more = {name: FILES[name].replace(old, old + row) for name, old, row in (
            ("xla_byol/packages.bzl", '"base": []', ', "old": []'),
            ("docs/architecture.md", "| `base` | a | |\n", "| `old` | a | |\n"))}
        self.assertEqual(self.said(more), ["xla_byol/packages.bzl has old, which is no package"])

    def test_a_table_that_goes_up(self):
        changed = {name: FILES[name].replace(old, new) for name, old, new in (
            ("xla_byol/packages.bzl", '"graph": []', '"graph": ["nn"]'),
            ("docs/architecture.md", "| `graph` | b | |", "| `graph` | b | `nn` |"))}
        self.assertEqual(self.said(changed), ["xla_byol/packages.bzl: graph may use nn, which does not stand above it"])


if __name__ == "__main__":
    unittest.main()

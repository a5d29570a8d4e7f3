#!/usr/bin/env python3
"""tools/check_packages on packages that keep to the table and packages that do not."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(sys.argv.pop(1)).resolve()

ROWS = {"base": "", "graph": "", "nn": "`graph` (only ops.h)", "cli": "everything above"}


class CheckPackagesTest(unittest.TestCase):

    def said(self, builds: dict[str, str], rows: dict[str, str] = ROWS) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "docs/architecture.md").write_text(
                "# Title\n\n| package | holds | may use |\n|---|---|---|\n" +
                "".join(f"| `{name}` | some `things` | {uses} |\n" for name, uses in rows.items()))
            for name, build in builds.items():
                (root / "xla_byol" / name).mkdir(parents=True)
                (root / "xla_byol" / name / "BUILD").write_text(build)
            run = subprocess.run([sys.executable, CHECK, root], text=True, stderr=subprocess.PIPE)
        lines = [line.removeprefix("check_packages: ") for line in run.stderr.splitlines()]
        self.assertEqual(run.returncode, 1 if lines else 0, run.stderr)
        return lines

    BUILDS = {
        "base": 'package(default_visibility = ["//xla_byol/graph:__pkg__"])',
        "graph": 'deps = [":x", "//xla_byol/base:files"]',
        "nn": 'deps = ["//xla_byol/base:files", "//xla_byol/graph"]',
        "cli": 'deps = ["//xla_byol/nn", "//xla_byol/graph"]'}

    def test_what_the_table_allows(self):
        self.assertEqual(self.said(self.BUILDS), [])

    def test_a_backward_edge(self):
        self.assertEqual(
            self.said(self.BUILDS | {"graph": 'deps = ["//xla_byol/nn:layers"]'}),
            ["xla_byol/graph uses nn, which its row in docs/architecture.md does not allow"])
        self.assertEqual(
            self.said(self.BUILDS, ROWS | {"graph": "`nn`"}),
            ["docs/architecture.md: `graph` may use `nn`, which does not stand above it"])

    def test_rows_and_packages_are_the_same(self):
        self.assertEqual(self.said(self.BUILDS | {"new": ""}), ["docs/architecture.md has no row for xla_byol/new"])
        self.assertEqual(self.said(self.BUILDS, ROWS | {"old": ""}),
                         ["docs/architecture.md has `old`, which is no package"])


if __name__ == "__main__":
    unittest.main()

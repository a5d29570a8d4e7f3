#!/usr/bin/env python3
"""tools/check_sizes on files at its limits and one above."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(sys.argv.pop(1)).resolve()


def cpp_function(lines: int, head: str = "int Long(int x) {") -> str:
    return "\n".join([head, *["  x += '{' + 1;  // }"] * (lines - 2), "}"]) + "\n"


class CheckSizesTest(unittest.TestCase):

    def said(self, files: dict[str, str]) -> list[str]:
        """What it says of these files; every other file is harmless."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in ({"xla_byol/a.cc": "int a;\n"} | files).items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            names = "\n".join(["xla_byol/a.cc", "deleted.cc", *files])
            run = subprocess.run([sys.executable, CHECK], cwd=root, input=names, text=True,
                                 stderr=subprocess.PIPE)
        lines = [line.removeprefix("check_sizes: ") for line in run.stderr.splitlines()]
        self.assertEqual(run.returncode, 1 if lines else 0, run.stderr)
        return lines

    def test_sources(self):
        self.assertEqual(self.said({"xla_byol/x/b.h": "\n" * 350}), [])
        self.assertEqual(self.said({"xla_byol/x/b.h": "\n" * 351}),
                         ["xla_byol/x/b.h: 351 lines, at most 350: split it by meaning"])
        self.assertEqual(self.said({"docs/long.md": "\n" * 999}), [])

    def test_build_files(self):
        self.assertEqual(self.said({"xla_byol/x/BUILD": "\n" * 300}), [])
        self.assertEqual(self.said({"xla_byol/x/BUILD": "\n" * 301}),
                         ["xla_byol/x/BUILD: 301 lines, at most 300: split it by meaning"])

    def test_packages(self):
        many = {f"xla_byol/x/f{i}.cc": "" for i in range(25)} | {"xla_byol/x/page.js": ""}
        self.assertEqual(self.said(many), [])
        self.assertEqual(self.said(many | {"xla_byol/x/f.h": ""}),
                         ["xla_byol/x: 26 sources and headers, at most 25: make packages of what belongs together"])
        self.assertEqual(self.said({f"xla_byol/graph/f{i}.cc": "" for i in range(60)}), [])

    def test_cpp_functions(self):
        wrap = "// {\nnamespace a {\nclass B {\n public:\n%s};\n}  // namespace a\n"
        heads = {
            "int Long(int x) {": "Long",
            "B::B(int x)\n    : x_{0}, y_(x) {": "B::B",
            "std::vector<int> Get(struct S s,\n  int x = 3) const override {": "Get",
            "TEST(A, B) {": "TEST",
            "template <typename T>\nT Long(T x) {": "Long"}
        for head, name in heads.items():
            lines = 71 - head.count("\n")
            self.assertEqual(self.said({"tests/b.cc": wrap % cpp_function(lines - 1, head)}), [], head)
            self.assertEqual(self.said({"tests/b.cc": wrap % cpp_function(lines, head)}),
                             [f"tests/b.cc:5: {name} has 71 lines, at most 70: name its parts"])
        table = "const int kTable[] = {\n" + "    1,\n" * 80 + "};\n"
        self.assertEqual(self.said({"xla_byol/b.cc": table + cpp_function(70)}), [])
        raw = 'const char kText[] = R"(int f() {' + "\n" * 80 + '}})";\n'
        self.assertEqual(self.said({"xla_byol/b.cc": raw + cpp_function(70)}), [])

    def test_tables_of_tests(self):
        table = cpp_function(90, "std::vector<Case> WindowCases() {")
        self.assertEqual(self.said({"tests/b.cc": table}), [])
        self.assertEqual(len(self.said({"xla_byol/b.cc": table})), 1)

    def test_python_functions(self):
        script = "#!/usr/bin/env python3\ndef f():\n" + "    a = 1\n" * 70
        self.assertEqual(self.said({"tools/f": script}), ["tools/f:2: f has 71 lines, at most 70: name its parts"])

    def test_no_files_is_an_error(self):
        run = subprocess.run([sys.executable, CHECK], input="", text=True, stderr=subprocess.PIPE)
        self.assertEqual(run.returncode, 1)
        self.assertIn("git ls-files | tools/check_sizes", run.stderr)


if __name__ == "__main__":
    unittest.main()

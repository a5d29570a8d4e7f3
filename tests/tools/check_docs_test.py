#!/usr/bin/env python3
"""tools/check_docs on pages with and without faults."""

import json
import os
import pathlib
import subprocess
import sys

TOOL = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(os.environ["TEST_TMPDIR"]) / "root"

PAGE = """# A page

See [the other](docs/other.md#two-words) and `[not](a link)`.

    tools/bazel run //xla_byol:train -- --config=a \\
      --run_dir=b    # as said
    said: nothing

<!-- not run: needs hardware -->

    BUCKET=x tools/tpu/slice start

Or `tools/bazel test //...` in a sentence.

```sh
tools/lint
```
"""


def run(*arguments: str):
    return subprocess.run([TOOL, f"--root={ROOT}", *arguments], capture_output=True, text=True)


def write(name: str, text: str) -> None:
    (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
    (ROOT / name).write_text(text)
    subprocess.run(["git", "add", "."], cwd=ROOT, check=True)


ROOT.mkdir(parents=True)
subprocess.run(["git", "init", "-q", "."], cwd=ROOT, check=True)
write("README.md", PAGE)
write("docs/other.md", "# Other\n\n## Two words\n")
write("xla_byol/a.cc", '"docs/other.md"\n')
assert run().returncode == 0, run().stderr
commands = json.loads(run("--commands").stdout)
assert [(c["line"], c["not_run"]) for c in commands] == [(5, ""), (11, "needs hardware"), (13, "in a sentence"), (16, "")], commands
assert commands[0]["command"] == "tools/bazel run //xla_byol:train -- --config=a --run_dir=b    # as said", commands[0]

for name, text, fault in [
    ("README.md", PAGE.replace("docs/other.md#", "docs/none.md#"), "README.md:3: there is no docs/none.md#two-words"),
    ("README.md", PAGE.replace("two-words", "three-words"), "README.md:3: docs/other.md has no heading #three-words"),
    ("docs/wide.md", "# Wide\n\n" + 21 * "word " + "\n", "docs/wide.md:3: 105 characters, at most 100"),
    ("docs/troubleshooting.md", "# T\n\n| `cannot see DIR; try again later` | wait |\n", "no program says 'try again later'"),
    ("xla_byol/a.cc", '"see docs/gone.md"\n', "xla_byol/a.cc:1: there is no docs/gone.md"),
]:
    before = (ROOT / name).read_text() if (ROOT / name).exists() else None
    write(name, text)
    done = run()
    assert done.returncode == 1 and fault in done.stderr, (fault, done.stderr)
    if before is None:
        (ROOT / name).unlink()
    else:
        write(name, before)
assert run("--wrong").returncode == 2
print("ok")

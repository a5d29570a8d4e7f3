#!/bin/bash
# Runs the Python file beside this script that has the name of the Bazel target (run_step -> run_step.py),
# with the oracle's Python. Every target of this folder is this script.
set -eu
shopt -s nullglob
name=$(basename "$0" .sh)
runfiles=${RUNFILES_DIR:-${TEST_SRCDIR:-$0.runfiles}}
scripts=("$runfiles"/*/tests/oracle/"$name".py)
pythons=("$runfiles"/*python_oracle/python)
if ((${#scripts[@]} != 1 || ${#pythons[@]} != 1)); then
  echo "$0: expected one $name.py and one Python under $runfiles, found ${#scripts[@]} and ${#pythons[@]}" >&2
  exit 1
fi
exec "${pythons[0]}" "${scripts[0]}" "$@"

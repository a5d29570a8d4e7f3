#!/bin/bash
# Starts prepare.py from this program's runfiles, under WORKSPACE's name for the repository or MODULE.bazel's.
set -eu
runfiles=${RUNFILES_DIR:-$0.runfiles}
for repository in _main xla_byol; do
  script=$runfiles/$repository/data/prepare.py
  [[ -e $script ]] || continue
  PYTHONDONTWRITEBYTECODE=1 exec python3 "$script" "$@"
done
echo "prepare: $runfiles holds no data/prepare.py: run it as 'tools/bazel run //data:prepare -- --help'" >&2
exit 1

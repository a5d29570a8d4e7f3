#!/bin/bash
# Random programs against JAX: fuzz_test.sh GENERATOR PYTHON CHECKER SEED PROGRAMS PER_BATCH
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"$1" "$4" "$5" "$6" "$directory"
"$2" "$3" "$directory"

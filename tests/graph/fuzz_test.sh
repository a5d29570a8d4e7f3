#!/bin/bash
# Random programs against JAX: fuzz_test.sh GENERATOR PYTHON CHECKER SEED PROGRAMS PER_BATCH
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
# Every op by itself, in both: a value that two fusions need is computed twice, rounded differently, and then no element
# equals its own maximum, in JAX's gradients as in ours.
export XLA_FLAGS=--xla_disable_hlo_passes=fusion
"$1" "$4" "$5" "$6" "$directory"
"$2" "$3" "$directory"

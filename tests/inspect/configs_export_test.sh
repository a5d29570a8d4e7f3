#!/bin/bash
# The configs for ImageNet, each predictor at 100 and 300 epochs and the other methods, as StableHLO for the 128 cores of v3:8x8: the official parser takes
# every one, and a second run writes the same bytes.
set -eu
export BUILD_WORKING_DIRECTORY=$TEST_TMPDIR
python=$(echo "${RUNFILES_DIR:-$TEST_SRCDIR}"/*python_oracle/python)
folders=()
for config in configs/imagenet{100,300}_*.textproto; do
  name=$(basename "$config" .textproto)
  for run in a b; do
    xla_byol/export --config="$PWD/$config" --platform=none --topology=v3:8x8 --out_dir="$run/$name" 2>/dev/null
  done
  cmp "$TEST_TMPDIR/a/$name/step.mlir" "$TEST_TMPDIR/b/$name/step.mlir"
  folders+=("$TEST_TMPDIR/a/$name")
done
((${#folders[@]} == 39)) || { echo "${#folders[@]} configs"; exit 1; }
"$python" tests/inspect/check_stablehlo.py "${folders[@]}"

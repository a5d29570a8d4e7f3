#!/bin/bash
# Every config in configs/ leaves `export` without a compiler: the paper's for 128 devices, the small ones for 8.
set -eu
export BUILD_WORKING_DIRECTORY=$PWD
files=(configs/*.textproto)
for file in "${files[@]}"; do
  name=$(basename "$file" .textproto)
  devices=8
  [[ $name == imagenet* ]] && devices=128
  xla_byol/export --config="$file" --platform=none --devices=$devices --out_dir="$TEST_TMPDIR/$name"
  grep -q 'stablehlo.dot_general' "$TEST_TMPDIR/$name/step.mlir"
  grep -q "name: \\\\\"$name\\\\\"" "$TEST_TMPDIR/$name/step.json"
done
((${#files[@]} >= 20)) || { echo "only ${#files[@]} configs"; exit 1; }
echo "${#files[@]} configs exported"

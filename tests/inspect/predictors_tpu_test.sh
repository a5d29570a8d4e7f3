#!/bin/bash
# Every predictor of the paper's configs compiles for a TPU, in a small net.
set -eu
export BUILD_WORKING_DIRECTORY=$TEST_TMPDIR
small=(--set=data.image_size=16 --set=data.augmentation=false --set=data.classes=0 --set=model.architecture=tiny --set=model.stem=small
  --set=model.base_channels=4 --set=model.projector_hidden_size=16 --set=model.projector_output_size=8)
compile() { # NAME FLAGS...
  local name=$1
  shift
  xla_byol/export "$@" "${small[@]}" --batch=16 --platform=tpu --topology=v3:2x2 --out_dir="$name" 2>"$TEST_TMPDIR/$name.log" ||
    { cat "$TEST_TMPDIR/$name.log"; return 1; }
  grep -q 'op_name="' "$TEST_TMPDIR/$name/optimized.hlo.txt"
}
compiled=0
for config in configs/imagenet100_*.textproto; do
  compile "$(basename "$config" .textproto)" --config="$PWD/$config"
  compiled=$((compiled + 1))
done
compile mlp --set=predictor.kind=MLP
((compiled == 9))
echo "$((compiled + 1)) predictors compiled"

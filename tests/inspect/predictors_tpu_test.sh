#!/bin/bash
# Every method and predictor of the paper's configs compiles for a TPU, in a small net.
set -eu
export BUILD_WORKING_DIRECTORY=$TEST_TMPDIR
small=(--set=data.image_size=16 --set=data.augmentation=false --set=data.classes=0 --set=model.architecture=tiny --set=model.stem=small
  --set=model.base_channels=4)
# A projector of as many layers as the config's.
narrow() { # CONFIG
  local layers
  layers=$(sed -nE 's/.*projector_sizes: \[([^]]*)\].*/\1/p' "$1" | tr -cd , | wc -c)
  if grep -q projector_sizes "$1"; then
    echo "--set=model.projector_sizes=[$(printf '16,%.0s' $(seq "$layers"))8]"
  else
    echo "--set=model.projector_hidden_size=16 --set=model.projector_output_size=8"
  fi
  # As many parts as a batch of 16 on 8 devices has.
  if grep -q 'partitions: 32' "$1"; then echo "--set=method.partitions=8"; fi
}
compile() { # NAME FLAGS...
  local name=$1
  shift
  xla_byol/export "$@" "${small[@]}" --batch=16 --platform=tpu --topology=v3:2x2 --out_dir="$name" 2>"$TEST_TMPDIR/$name.log" ||
    { cat "$TEST_TMPDIR/$name.log"; return 1; }
  grep -q 'op_name="' "$TEST_TMPDIR/$name/optimized.hlo.txt"
}
compiled=0
for config in configs/imagenet100_*.textproto; do
  # shellcheck disable=SC2046  # one word a flag
  compile "$(basename "$config" .textproto)" --config="$PWD/$config" $(narrow "$config")
  compiled=$((compiled + 1))
done
compile mlp --set=predictor.kind=MLP --set=model.projector_hidden_size=16 --set=model.projector_output_size=8
((compiled == 30))
echo "$((compiled + 1)) steps compiled"

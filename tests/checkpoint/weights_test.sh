#!/bin/bash
# `weights` as a user calls it, and what another network makes of the file.
#   weights_test.sh jax          small networks, the forward pass written down in JAX by torchvision's names
#   weights_test.sh torchvision  ResNet-18 and ResNet-50 loaded into torchvision itself (Debian's python3-torchvision)
#   weights_test.sh torch_encoder  every kind of network in tools/torch_encoder.py
set -eu
export BUILD_WORKING_DIRECTORY=$TEST_TMPDIR
case $1 in
  jax)
    python=$(echo "${RUNFILES_DIR:-$TEST_SRCDIR}"/*python_oracle/python)
    cases=("resnet18 model.base_channels=8" "resnet50 model.base_channels=4" "tiny model.base_channels=8 model.stem=small")
    ;;
  torchvision)
    python=/usr/bin/python3
    cases=(resnet18 resnet50)
    ;;
  torch_encoder)
    python=/usr/bin/python3
    cases=("resnet18 model.base_channels=8 model.padding=same" "resnet50 model.base_channels=4"
      "resnet14 model.padding=same model.base_channels=16 data.channels=1 data.mean=0.3 data.stddev=0.4 data.image_size=57"
      "tiny model.base_channels=8 model.stem=small model.padding=same")
    ;;
esac
for one in "${cases[@]}"; do
  read -ra words <<<"$one"
  folder=$TEST_TMPDIR/${words[0]}
  mkdir -p "$folder"
  tests/checkpoint/weights_cases "$folder" model.architecture="${words[0]}" model.padding=torch data.image_size=64 \
    data.classes=10 schedule.batch_size=4 model.projector_hidden_size=32 model.projector_output_size=16 "${words[@]:1}"
  for format in ours torchvision; do
    xla_byol/weights --run_dir="${words[0]}/run" --format=$format --out="${words[0]}/$format.safetensors"
  done
  "$python" tests/checkpoint/check_weights.py "$1" "${words[0]}" "$folder"
done

code=0
said=$(xla_byol/weights --run_dir=none 2>&1) || code=$?
[[ $code == 1 && $said == *"'$TEST_TMPDIR/none' is no run directory"* ]] || { echo "exit $code: $said"; exit 1; }
code=0
said=$(xla_byol/weights 2>&1) || code=$?
[[ $code == 2 && $said == *"Give --run_dir"* ]] || { echo "exit $code: $said"; exit 1; }

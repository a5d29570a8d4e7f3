#!/bin/bash
# `export`, `scale` and `bench` as a user calls them.
set -eu
export BUILD_WORKING_DIRECTORY=$TEST_TMPDIR
python=$(echo "${RUNFILES_DIR:-$TEST_SRCDIR}"/*python_oracle/python)
tiny=(--set=data.image_size=16 --set=data.classes=10 --set=model.architecture=tiny --set=model.stem=small
  --set=model.base_channels=4 --set=model.projector_hidden_size=16 --set=model.projector_output_size=8
  --set=schedule.batch_size=16)

fails() { # CODE SENTENCE COMMAND...: the command ends with the code and says the sentence, in one line
  local code=0 said
  said=$("${@:3}" 2>&1 >/dev/null) || code=$?
  # Lines that say what it is doing come before.
  said=$(grep -vE '^(built|compiling)' <<<"$said")
  [[ $code == "$1" && $said == *"$2"* && $said != *$'\n'* ]] || { echo "exit $code: $said, expected $1: $2"; exit 1; }
}

xla_byol/export "${tiny[@]}" --platform=none --devices=8 --out_dir=none
xla_byol/export "${tiny[@]}" --platform=none --devices=8 --out_dir=again
cmp "$TEST_TMPDIR"/none/step.mlir "$TEST_TMPDIR"/again/step.mlir
"$python" tests/inspect/check_export.py "$TEST_TMPDIR"/none none 8
xla_byol/export "${tiny[@]}" --platform=cpu --devices=2 --out_dir=cpu
"$python" tests/inspect/check_export.py "$TEST_TMPDIR"/cpu cpu 2
xla_byol/export "${tiny[@]}" --platform=tpu --topology=v3:2x2 --out_dir=tpu
"$python" tests/inspect/check_export.py "$TEST_TMPDIR"/tpu tpu 8
[[ -s $TEST_TMPDIR/cpu/optimized.hlo.txt && -s $TEST_TMPDIR/tpu/optimized.hlo.txt ]]

# The page again, beside another export; no compiler is asked.
xla_byol/export --inspect=tpu --compare=cpu
"$python" tests/inspect/check_export.py "$TEST_TMPDIR"/tpu tpu 8 2
fails 1 'nowhere/inspect.json' xla_byol/export --inspect=nowhere

# A smaller net, as the compiler is asked more often.
fast=("${tiny[@]}" --set=data.augmentation=false --set=data.classes=0 --set=predictor.kind=IDENTITY)
xla_byol/export "${fast[@]}" --platform=none --devices=8 --batch=64 --out_dir=batch
grep -q 'batch_size: 64' "$TEST_TMPDIR"/batch/step.json
# 20 million images in a step: the compiler's reason, what it needs and what there is. (Ends in one line.)
fails 1 'the step does not fit v3:2x2: it needs ' xla_byol/export "${fast[@]}" --set=data.train_images=100000000 \
  --batch=80000000 --platform=tpu --topology=v3:2x2 --out_dir=large

# For this machine it is a warning.
xla_byol/export "${fast[@]}" --set=data.train_images=100000000 --batch=80000000 --platform=cpu --out_dir=large_cpu \
  2>&1 | grep -qE 'the step needs [0-9]+ GB, and this machine has [0-9]+' || { echo "no warning of memory"; exit 1; }

# Two topologies and two batches: one pair does not divide, two share their images per device, and the rest is found again.
sweep=(xla_byol/scale "${fast[@]}" --platform=tpu --sweep=v3:2x2,v3:4x4 --global_batch=16,64 --out_dir=sweep)
"${sweep[@]}" >"$TEST_TMPDIR"/table 2>"$TEST_TMPDIR"/said
[[ $(grep -c '^compiled v3' "$TEST_TMPDIR"/said) == 2 ]] || { cat "$TEST_TMPDIR"/said; exit 1; }
grep -qE '^v3:4x4 +32 +64 +2 .* v3:2x2$' "$TEST_TMPDIR"/table || { cat "$TEST_TMPDIR"/table; exit 1; }
grep -q 'the batch does not divide by 32 devices' "$TEST_TMPDIR"/table
[[ $(wc -l <"$TEST_TMPDIR"/sweep/scaling.csv) == 5 ]]
"$python" -c 'import sys, xml.dom.minidom as dom; dom.parse(sys.argv[1])' "$TEST_TMPDIR"/sweep/scaling.svg
"${sweep[@]}" 2>&1 >"$TEST_TMPDIR"/again.table | grep -c '^found ' | grep -qx 2
cmp "$TEST_TMPDIR"/table "$TEST_TMPDIR"/again.table
fails 2 "'4096x' is no number of images" xla_byol/scale --platform=tpu --sweep=v3:2x2 --global_batch=4096x
fails 2 '--fit needs a --topology' xla_byol/scale "${fast[@]}" --fit
fails 2 'give either --sweep' xla_byol/scale "${fast[@]}"
fails 2 'use tpu or gpu' xla_byol/scale "${fast[@]}" --fit --topology=v3:2x2 --platform=none
fails 2 'a flag of //xla_byol:scale now' xla_byol/export --platform=tpu --sweep=v3:2x2
fails 2 'a flag of //xla_byol:scale now' xla_byol/export --topology=v3:2x2 --fit
fails 2 'a flag of //xla_byol:weights now' xla_byol/export --weights --run_dir=run

fails 2 'there is no flag --platfrom; did you mean --platform?' xla_byol/export --platfrom=cpu
fails 2 'data.train_images is not set; only `train` reads that from the data' xla_byol/export "${tiny[@]}" \
  --set=data.dataset=photos --platform=none
fails 2 'none.textproto' xla_byol/export --config=none.textproto
fails 2 'it must be divisible by the 3 devices' xla_byol/export "${tiny[@]}" --platform=none --devices=3
fails 2 'v9' xla_byol/export "${tiny[@]}" --platform=tpu --topology=v9:2x2
fails 2 '--steps=0' xla_byol/bench "${tiny[@]}" --steps=0
fails 1 'data set "nothing" is not in' xla_byol/bench "${tiny[@]}" --set=data.dataset=nothing --nosynthetic

xla_byol/bench "${tiny[@]}" --steps=2 --batch=8 --devices=2 | tail -n 1 | "$python" -c '
import json, sys
line = json.load(sys.stdin)
assert set(line) == {"images_per_s", "step_s", "compile_s", "devices", "batch", "config", "loss"}, line
assert line["batch"] == 8 and line["devices"] == 2 and line["images_per_s"] > 0, line'
# The data set's images, through the loader: Debian's Fashion-MNIST.
xla_byol/bench "${tiny[@]}" --set=data.dataset=fashion_mnist --set=data.train_images=60000 --set=data.channels=1 \
  --steps=9 --devices=2 --synthetic=false | tail -n 1 | "$python" -c '
import json, sys
line = json.load(sys.stdin)
assert line["batch"] == 16 and line["images_per_s"] > 0 and 0 <= line["data_wait_s"] <= line["step_s"], line'
xla_byol/export --help | grep -q -- '--topology'
echo "export, scale and bench do what they say"

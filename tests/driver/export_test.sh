#!/bin/bash
# `export` and `bench` as a user calls them.
set -eu
export BUILD_WORKING_DIRECTORY=$TEST_TMPDIR
python=$(echo "${RUNFILES_DIR:-$TEST_SRCDIR}"/*python_oracle/python)
tiny=(--set=data.image_size=16 --set=data.classes=10 --set=model.architecture=tiny --set=model.stem=small
  --set=model.base_channels=4 --set=model.projector_hidden_size=16 --set=model.projector_output_size=8
  --set=schedule.batch_size=16)

fails() { # CODE SENTENCE COMMAND...: the command ends with the code and says the sentence, in one line
  local code=0 said
  said=$("${@:3}" 2>&1 >/dev/null) || code=$?
  [[ $code == "$1" && $said == *"$2"* && $said != *$'\n'* ]] || { echo "exit $code: $said, expected $1: $2"; exit 1; }
}

xla_byol/export "${tiny[@]}" --platform=none --devices=8 --out_dir=none
xla_byol/export "${tiny[@]}" --platform=none --devices=8 --out_dir=again
cmp "$TEST_TMPDIR"/none/step.mlir "$TEST_TMPDIR"/again/step.mlir
"$python" tests/driver/check_export.py "$TEST_TMPDIR"/none none 8
xla_byol/export "${tiny[@]}" --platform=cpu --devices=2 --out_dir=cpu
"$python" tests/driver/check_export.py "$TEST_TMPDIR"/cpu cpu 2
xla_byol/export "${tiny[@]}" --platform=tpu --topology=v3:2x2 --out_dir=tpu
"$python" tests/driver/check_export.py "$TEST_TMPDIR"/tpu tpu 8
[[ -s $TEST_TMPDIR/cpu/optimized.hlo.txt && -s $TEST_TMPDIR/tpu/optimized.hlo.txt ]]

fails 2 'there is no flag --platfrom; did you mean --platform?' xla_byol/export --platfrom=cpu
fails 2 'none.textproto' xla_byol/export --config=none.textproto
fails 2 'it must divide by the 3 devices' xla_byol/export "${tiny[@]}" --platform=none --devices=3
fails 2 'v9' xla_byol/export "${tiny[@]}" --platform=tpu --topology=v9:2x2
fails 2 '--steps=0' xla_byol/bench "${tiny[@]}" --steps=0
fails 2 'random images only' xla_byol/bench "${tiny[@]}" --nosynthetic

xla_byol/bench "${tiny[@]}" --steps=2 --batch=8 --devices=2 | tail -n 1 | "$python" -c '
import json, sys
line = json.load(sys.stdin)
assert set(line) == {"images_per_s", "step_s", "compile_s", "devices", "batch", "config"}, line
assert line["batch"] == 8 and line["devices"] == 2 and line["images_per_s"] > 0, line'
xla_byol/export --help | grep -q -- '--topology'
echo "export and bench do what they say"

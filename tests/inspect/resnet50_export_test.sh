#!/bin/bash
# The paper's step at its full size, for machines that are not here: resnet50_export_test.sh PLATFORM TOPOLOGY BATCH DEVICES
# Temporaries per device below 3.2 GB at 32 images, and all state updated in place.
set -eu
export BUILD_WORKING_DIRECTORY=$TEST_TMPDIR
platform=$1 topology=$2 batch=$3 devices=$4
python=$(echo "${RUNFILES_DIR:-$TEST_SRCDIR}"/*python_oracle/python)
xla_byol/export --config="$PWD"/configs/imagenet100_ns2.textproto --platform="$platform" --topology="$topology" --batch="$batch" --out_dir=out
"$python" tests/inspect/check_export.py "$TEST_TMPDIR"/out "$platform" "$devices"
"$python" - "$TEST_TMPDIR"/out/step.json <<'SCRIPT'
import json, sys
with open(sys.argv[1]) as file:
    step = json.load(file)
images = next(t for t in step["inputs"] if t["name"] == "view1")["shape"][0]
print(step["topology"], images, "images per device,", step["memory"], step["cost"], step["compile_seconds"], "s")
if step["platform"] == "tpu":
    assert step["memory"]["temp_bytes"] < 3.2e9 * images / 32, step["memory"]
SCRIPT

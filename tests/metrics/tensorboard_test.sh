#!/bin/bash
# Event files as TensorBoard's own reader sees them, over a kill and two resumes.
set -eu
run=$(mktemp -d "${TEST_TMPDIR-/tmp}/run.XXXXXX")
write=tests/metrics/write_events
$write "$run" 0 1 10  # killed after step 10; the checkpoint had step 6
$write "$run" 6 7 9   # resumed; killed at once, the checkpoint had step 8
$write "$run" 8 9 12
# A kill in the middle of a write.
last=$(ls "$run"/events.out.tfevents.* | tail -n 1)
head -c 7 "$last" >>"$last"
"$(echo "${RUNFILES_DIR:-$TEST_SRCDIR}"/*python_tensorboard/python)" tests/metrics/check_events.py "$run"

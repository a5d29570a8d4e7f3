#!/bin/bash
# `train`, `evaluate` and `report` as a user runs them: killed, stopped, corrupted, resumed.
#   train_test.sh KILLS
set -eu
python3 tests/training/train_test.py "$1" "$TEST_TMPDIR"

#!/bin/bash
# Every method learns on a CPU. Some twenty minutes.
set -eu
python3 tests/training/learns_test.py "$TEST_TMPDIR"

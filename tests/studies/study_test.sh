#!/bin/bash
# `study` as a user runs it: killed at random moments, stopped, resumed, laid out.
#   study_test.sh KILLS
set -eu
python3 tests/studies/study_test.py "$1" "$TEST_TMPDIR"

#!/bin/bash
# Steps of the C++ program against JAX on the same numbers.
set -eu
folder=$TEST_TMPDIR/cases
tests/step/step_cases "$folder" "$1"
tests/oracle/compare_steps "$folder"

#!/bin/bash
# Steps of the C++ program against JAX on the same numbers.
set -eu
folder=$TEST_TMPDIR/cases
tests/byol/step_cases "$folder" "$1"
tests/byol/oracle/compare_steps "$folder"

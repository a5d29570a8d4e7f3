#!/bin/bash
# The step's augmentation against NumPy on the same pixels and draws.
set -eu
tests/augment/augment_cases "$TEST_TMPDIR/cases.safetensors"
tests/oracle/compare_augmented "$TEST_TMPDIR/cases.safetensors"

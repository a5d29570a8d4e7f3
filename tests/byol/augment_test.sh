#!/bin/bash
# The step's augmentation against NumPy on the same pixels and draws.
set -eu
tests/byol/augment_cases "$TEST_TMPDIR/cases.safetensors"
tests/byol/oracle/compare_augmented "$TEST_TMPDIR/cases.safetensors"

#!/bin/bash
# Every method's loss and gradients against JAX in f64 on the same numbers.
set -eu
tests/methods/method_cases "$TEST_TMPDIR/cases.safetensors"
tests/oracle/compare_methods "$TEST_TMPDIR/cases.safetensors"

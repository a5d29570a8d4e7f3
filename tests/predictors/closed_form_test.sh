#!/bin/bash
# Closed forms of the C++ program against NumPy in f64, JAX's pseudo-code and the paper's propositions.
set -eu
tests/predictors/closed_form_cases "$TEST_TMPDIR/cases.safetensors"
tests/oracle/compare_closed_forms "$TEST_TMPDIR/cases.safetensors"

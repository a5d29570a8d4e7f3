#!/bin/bash
# profile_test.sh jax|xprof: who reads the profile.
packages=$([[ $1 == jax ]] && echo python_oracle || echo python_xprof)
exec "$(echo "${RUNFILES_DIR:-$TEST_SRCDIR}"/*"$packages"/python)" tests/profiling/profile_test.py "$1" "$TEST_TMPDIR"

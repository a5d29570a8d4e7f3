#!/bin/bash
exec python3 tests/distributed/processes_test.py "$1" "$2" "$TEST_TMPDIR"

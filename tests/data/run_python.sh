#!/bin/bash
# Runs a Python test with the modules of //data: run_python.sh tests/data/NAME_test.py
PYTHONPATH=$PWD/data PYTHONDONTWRITEBYTECODE=1 exec python3 "$@"

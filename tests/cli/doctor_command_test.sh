#!/bin/bash
# The doctor as a user calls it: output, and exit codes 0, 1 and 2.
set -u
doctor=$1
failures=0

# expect CODE TEXT ARGUMENT...: the exit code, and TEXT somewhere in the output.
expect() {
  local code=$1 text=$2 output
  shift 2
  output=$("$doctor" "$@" 2>&1)
  local actual=$?
  if [[ $actual != "$code" || $output != *"$text"* ]]; then
    echo "doctor $*: exit $actual, expected $code and '$text' in:"
    echo "$output"
    failures=1
  fi
}

expect 0 'The demo (tools/bazel run //xla_byol:train) can run.'
expect 0 'ok       cpu'
expect 0 '--data_dir' --help
expect 0 "Usage: tools/bazel run //xla_byol:doctor -- [--flag=value ...]" --help
expect 0 "Every program:" --help
expect 0 "xla_byol $(sed -n "s/^## \([0-9.]*\).*/\1/p" "$2" | head -n 1)" --version
expect 2 'plugni' --plugni=x
expect 1 "names the cpu plugin '/no/such.so', but there is no such file" --plugin=/no/such.so
exit $failures

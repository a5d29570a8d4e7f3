#!/bin/bash
# The key-value store of GPU nodes, in four real processes: in a folder, twice (what the first start left is no
# obstacle), or under mpirun.
#   store_test.sh folder|mpirun
set -eu
client=tests/distributed/store_client plugin=tests/distributed/libstore_plugin.so
if [[ $1 == mpirun ]]; then
  root=()
  ((EUID == 0)) && root=(--allow-run-as-root)
  mpirun -n 4 --oversubscribe "${root[@]}" "$client" "$plugin" 0 0 "" >"$TEST_TMPDIR/out"
  [[ $(grep -c '^16 cliques$' "$TEST_TMPDIR/out") == 4 ]]
  exit
fi
for start in 1 2; do
  ids=()
  for process in 0 1 2 3; do
    "$client" "$plugin" "$process" 4 "$TEST_TMPDIR/meet" >"$TEST_TMPDIR/out$process" & ids+=($!)
  done
  for id in "${ids[@]}"; do wait "$id"; done
  for process in 0 1 2 3; do grep -q '^16 cliques$' "$TEST_TMPDIR/out$process"; done
done

#!/bin/bash
# tools/tpu without a cloud: the manifest against its schema, the restart loop with real processes, the commands that would run.
set -eu
tools=tools/tpu
here=tests/tools/tpu
says() { # TEXT OUTPUT: the output holds the text
  [[ $2 == *"$1"* ]] || { echo "expected '$1' in: $2"; exit 1; }
}

# jobset
jobset=("$tools"/jobset --image=registry.example/byol:1 --bucket=data --config=configs/imagenet100_ns2.textproto)
"${jobset[@]}" --topology=v3:8x8 | python3 "$here"/check_jobset.py "$here"/jobset_schema.json 16 4
"${jobset[@]}" --topology=v3:16x16 --spot -- --set=seed=1 | python3 "$here"/check_jobset.py "$here"/jobset_schema.json 64 4
"${jobset[@]}" --topology=v4:2x2x4 --name=other | python3 "$here"/check_jobset.py "$here"/jobset_schema.json 4 4
says '"--set=seed=1"' "$("${jobset[@]}" --topology=v5e:4x4 -- --set=seed=1)"
says "no topology 'v9:8x8'" "$("${jobset[@]}" --topology=v9:8x8 2>&1 || true)"
says 'do not divide into hosts of 4' "$("${jobset[@]}" --topology=v3:3x1 2>&1 || true)"

# run_host: a command that counts its runs and ends with the codes it is given, one a run.
export RESTART_SECONDS=0 COUNT=$TEST_TMPDIR/count
cat >"$TEST_TMPDIR"/train <<'SCRIPT'
#!/bin/bash
runs=$(($(cat "$COUNT") + 1))
echo "$runs" >"$COUNT"
codes=($CODES)
exit "${codes[runs - 1]:-0}"
SCRIPT
chmod +x "$TEST_TMPDIR"/train
loop() { # CODES EXPECTED_CODE EXPECTED_RUNS
  echo 0 >"$COUNT"
  local code=0
  CODES=$1 MAX_FAILURES=${MAX_FAILURES-2} "$tools"/run_host "$TEST_TMPDIR"/train 2>/dev/null || code=$?
  [[ $code == "$2" && $(cat "$COUNT") == "$3" ]] || { echo "codes $1: ended with $code after $(cat "$COUNT") runs, expected $2 after $3"; exit 1; }
}
loop '0' 0 1
loop '75 75 75 75 0' 0 5    # preemptions without end
loop '1 134 0' 0 3          # crashes, and then it works
loop '1 1 1 0' 1 3          # crashes in a row
loop '1 1 75 1 1 0' 0 6     # a resumable end begins a new row
loop '75 2 0' 2 2           # a bad config fails at once
says 'no command given' "$("$tools"/run_host 2>&1 || true)"

# A signal goes to the command, and its code comes back.
cat >"$TEST_TMPDIR"/waits <<'SCRIPT'
#!/bin/bash
trap 'echo stopped >"$COUNT"; exit 75' TERM
echo ready >"$COUNT"
while :; do sleep 0.05; done
SCRIPT
chmod +x "$TEST_TMPDIR"/waits
echo none >"$COUNT"
"$tools"/run_host "$TEST_TMPDIR"/waits 2>/dev/null &
host=$!
until [[ $(cat "$COUNT") == ready ]]; do sleep 0.05; done
kill -TERM "$host"
code=0
wait "$host" || code=$?
[[ $code == 75 && $(cat "$COUNT") == stopped ]] || { echo "the signal ended with $code, $(cat "$COUNT")"; exit 1; }

# slice: what would run.
export DRY_RUN=1 ZONE=us-central1-a
says 'gcloud compute tpus tpu-vm create pod --accelerator-type=v3-128 --version=tpu-ubuntu2204-base --zone=us-central1-a' \
  "$("$tools"/slice create pod v3-128)"
says '--preemptible' "$(PREEMPTIBLE=1 "$tools"/slice create pod v3-128)"
start=$(BUCKET=data "$tools"/slice start pod --config=configs/imagenet100_ns2.textproto '--set=name=two words')
says '--worker=all' "$start"
says 'gcsfuse' "$start"
says 'run_host' "$start"
says 'two' "$start"
says 'kill' "$("$tools"/slice stop pod)"
code=0
"$tools"/slice nonsense pod 2>/dev/null || code=$?
[[ $code == 2 ]]
echo "tools/tpu do what they say"

#!/bin/bash
# tools/cluster/train.sbatch on a Slurm of this test's own: munged, slurmctld and slurmd as this user, on ports nobody has.
set -eu
here=$PWD tmp=$(mktemp -d /tmp/slurm.XXXXXX) # sockets have short names
export SLURM_CONF=$tmp/slurm.conf
pids=()
finish() {
  ((${#pids[@]} == 0)) || kill "${pids[@]}" 2>/dev/null || true
  wait
  rm -rf "$tmp"
}
trap finish EXIT
mkdir -m 700 "$tmp"/{munge,state,spool,pmix}
head -c 1024 /dev/urandom >"$tmp/munge/key"
chmod 400 "$tmp/munge/key"
/usr/sbin/munged --foreground --force --key-file="$tmp/munge/key" --socket="$tmp/munge/socket" --pid-file="$tmp/munge/pid" \
  --log-file="$tmp/munge/log" --seed-file="$tmp/munge/seed" 2>/dev/null &
pids+=($!)

read -r controller daemon < <(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*[s.getsockname()[1] for s in sockets])')
user=$(id -un) node=$(hostname -s)
cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$tmp/munge/socket
CredType=cred/munge
SlurmctldPort=$controller
SlurmdPort=$daemon
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd.pid
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool
TmpFS=$tmp/pmix
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
/usr/sbin/slurmctld -D -f "$SLURM_CONF" >"$tmp/slurmctld.log" 2>&1 & pids+=($!)
/usr/sbin/slurmd -D -f "$SLURM_CONF" -N "$node" >"$tmp/slurmd.log" 2>&1 & pids+=($!)
for ((i = 0; i < 60; ++i)); do
  [[ $(sinfo -h -o %T 2>/dev/null) == idle ]] && break
  sleep 1
done
sinfo -h -o %T | grep -q idle || { cat "$tmp"/*.log; exit 1; }

small=(data.train_split=train[:320] data.test_split=test[:64] data.train_images=320 data.image_size=8 model.stem=SMALL
  model.base_channels=4 model.projector_hidden_size=64 model.projector_output_size=32 schedule.batch_size=32 schedule.epochs=100
  schedule.warmup_epochs=0.1 evaluation.random_crops=false evaluation.linear_epochs=1 evaluation.linear_batch_size=64
  evaluation.bank_images=64 evaluation.interval_epochs=0 evaluation.image_size=8 recording.checkpoint_steps=20)
export TRAIN=$here/xla_byol/train XDG_CACHE_HOME=$tmp/cache BUILD_WORKING_DIRECTORY=$tmp
submit() { # RUN: the job's number
  sbatch --parsable --ntasks=2 --output="$tmp/$1.log" --chdir="$here" tools/cluster/train.sbatch --run_dir="$tmp/$1" \
    --reader_threads=1 "${small[@]/#/--set=}"
}
await() { # JOB STATE...
  local job=$1 state
  shift
  for ((i = 0; i < 600; ++i)); do
    state=$(scontrol show job "$job" | grep -o 'JobState=[A-Z]*')
    for wanted; do [[ $state != "JobState=$wanted" ]] || return 0; done
    sleep 0.5
  done
  echo "job $job is $state"
  cat "$tmp"/*.log
  exit 1
}

# Two tasks train, and say who started them.
job=$(submit whole)
await "$job" COMPLETED
grep -q 'process 1 of 2, started by srun' "$tmp/whole.log" || { cat "$tmp/whole.log"; exit 1; }
grep -o 'they meet in [a-zA-Z]*' "$tmp/whole.log" | head -n 1
[[ $(grep -c 'report: ' "$tmp/whole.log") == 1 && -e $tmp/whole/report.html ]]

# A stop in the middle, as before the end of its time: the job is queued again, goes on, and makes the same weights.
job=$(submit stopped)
for ((i = 0; i < 1200; ++i)); do
  if compgen -G "$tmp/stopped/checkpoints/step-*" >/dev/null; then break; fi
  sleep 0.1
done
scancel --signal=TERM "$job"
await "$job" PENDING
grep -q 'stopped after step' "$tmp/stopped.log"
scontrol release "$job" 2>/dev/null || true
scontrol update JobId="$job" StartTime=now 2>/dev/null || true
await "$job" COMPLETED
cmp "$tmp"/{whole,stopped}/checkpoints/step-00001000/state.safetensors
echo "stopped and resumed"

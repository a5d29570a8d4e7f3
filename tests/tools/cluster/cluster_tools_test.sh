#!/bin/bash
# tools/cluster without a cluster: the manifest against its schema, what train.sbatch runs and when it queues the job again.
# tests/distributed/slurm_test.sh has a real Slurm.
set -eu
says() { # TEXT OUTPUT: the output holds the text
  [[ $2 == *"$1"* ]] || { echo "expected '$1' in: $2"; exit 1; }
}

# jobset
jobset=(tools/cluster/jobset --image=registry.example/byol:1 --claim=data --config=configs/imagenet100_ns.textproto)
check=(python3 tests/tools/tpu/check_jobset.py tests/tools/tpu/jobset_schema.json)
"${jobset[@]}" --nodes=4 | "${check[@]}" 4 8 nvidia.com/gpu
"${jobset[@]}" --nodes=2 --gpus=1 --name=other -- --set=seed=1 | "${check[@]}" 2 1 nvidia.com/gpu
says '"--processes=4"' "$("${jobset[@]}" --nodes=4)"
says '"--set=seed=1"' "$("${jobset[@]}" --nodes=4 -- --set=seed=1)"
says 'there must be 2 or more' "$("${jobset[@]}" --nodes=1 2>&1 || true)"

# train.sbatch, with an srun that says what it was asked for and ends with CODE.
mkdir "$TEST_TMPDIR"/bin
cat >"$TEST_TMPDIR"/bin/srun <<'SCRIPT'
#!/bin/bash
if [[ $1 == --mpi=list ]]; then echo "MPI plugin types are... none $KINDS" >&2; exit; fi
echo "srun $*"
exit "$CODE"
SCRIPT
printf '#!/bin/bash\necho "scontrol $*"\n' >"$TEST_TMPDIR"/bin/scontrol
chmod +x "$TEST_TMPDIR"/bin/*
export PATH=$TEST_TMPDIR/bin:$PATH SLURM_JOB_ID=7 SLURM_SUBMIT_DIR=$TEST_TMPDIR TRAIN=/opt/train
job() { # CODE KINDS: what it says, and its own code
  CODE=$1 KINDS=$2 bash tools/cluster/train.sbatch --config=c --set='a b' 2>&1 && echo "code 0" || echo "code $?"
}
[[ $(job 0 pmix) == "srun --mpi=pmix /opt/train --config=c --set=a b"$'\n'"code 0" ]]
says 'code 2' "$(job 2 pmix)"
[[ $(job 2 pmix) != *requeue* ]]
says $'scontrol requeue 7\ncode 75' "$(job 75 pmix)"
says "srun --mpi=none /opt/train --rendezvous=$TEST_TMPDIR/.rendezvous-7-0 --config=c" "$(job 0 '')"
says ".rendezvous-7-3 " "$(SLURM_RESTART_COUNT=3 job 0 '')"

"""Several real processes train together; what counts are bytes and numbers of checkpoints, exit codes and sentences.

processes_test.py same2|same4|gloo|evaluate|faults|mpirun KILLS TMP
"""
import array, json, os, random, re, shutil, signal, struct, subprocess, sys, time

PART, KILLS, TMP = sys.argv[1], int(sys.argv[2]), sys.argv[3]
ENV = dict(os.environ, XDG_CACHE_HOME=f"{TMP}/cache", BUILD_WORKING_DIRECTORY=TMP)
STEPS = 10
SMALL = ["data.train_split=train[:320]", "data.test_split=test[:64]", "data.train_images=320", "data.image_size=8",
         "model.stem=SMALL", "model.base_channels=4", "model.projector_hidden_size=64", "model.projector_output_size=32",
         "schedule.batch_size=32", "schedule.epochs=1", "schedule.warmup_epochs=0.1", "evaluation.random_crops=false",
         "evaluation.linear_epochs=1", "evaluation.linear_batch_size=64", "evaluation.bank_images=64",
         "evaluation.interval_epochs=0", "evaluation.image_size=8", "recording.diagnostics_interval=5",
         "recording.checkpoint_steps=2", "recording.metrics_interval=1"]
# Sums in another order differ in their last bits. Where that moves an activation over the corner of a ReLU, gradients differ by
# that image's share, and from then on so do the runs, on one process too: few activations and small steps make it rare.
TINY = ["data.train_split=train[:160]", "data.train_images=160", "model.base_channels=2", "schedule.batch_size=16",
        "optimizer.base_learning_rate=0.1", "evaluation.linear_at_end=false", "recording.diagnostics_interval=0"]
# For those who are to be disturbed: long enough that the last of many kills still finds them at work.
LONG_EPOCHS = 8 if KILLS <= 2 else 8 * KILLS
LONG_STEPS = 10 * LONG_EPOCHS
LONGER = [f"schedule.epochs={LONG_EPOCHS}"]


def command(run, devices=1, settings=(), *extra):
    return (["xla_byol/train", f"--run_dir={TMP}/{run}", f"--devices={devices}", "--reader_threads=1"] +
            [f"--set={s}" for s in SMALL + list(settings)] + list(extra))


def ranks(run, processes):
    """What makes commands one of several."""
    if processes == 1:
        return [[]]
    return [[f"--processes={processes}", f"--process={i}", f"--rendezvous={TMP}/meet-{run}"] for i in range(processes)]


def start(run, processes, devices=1, settings=(), extra=(), each=lambda rank: ()):
    """One Popen for each process; their stderr goes to files."""
    return [subprocess.Popen(command(run, devices, settings, *flags, *extra, *each(i)), env=ENV, stdout=subprocess.DEVNULL,
                             stderr=open(f"{TMP}/{run}.{i}.err", "w")) for i, flags in enumerate(ranks(run, processes))]


def said(run, rank):
    return open(f"{TMP}/{run}.{rank}.err").read()


def finish(run, processes, *args, expect=None, **how):
    """Runs to the end; the exit codes."""
    started = start(run, processes, *args, **how)
    codes = [process.wait(timeout=240) for process in started]
    if expect is not None:
        for rank, code in enumerate(codes):
            assert code == expect, f"{run}: process {rank} ended with {code}:\n{said(run, rank)}"
    return codes


def state_bytes(run, step=STEPS):
    with open(f"{TMP}/{run}/checkpoints/step-{step:08d}/state.safetensors", "rb") as file:
        return file.read()


def state(run, step=STEPS):
    data = state_bytes(run, step)
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: array.array("f", data[8 + size + t["data_offsets"][0]:8 + size + t["data_offsets"][1]])
            for name, t in header.items()}


def metrics(run):
    lines = [json.loads(line) for line in open(f"{TMP}/{run}/metrics.jsonl")]
    drop = {"time", "images_per_s", "data_wait_share", "kind"}
    return [{k: v for k, v in line.items() if k not in drop} for line in lines if line["kind"] == "train"]


def largest_difference(a, b):
    assert a.keys() == b.keys()
    return max((abs(x - y), name) for name in a for x, y in zip(a[name], b[name]))


def differs(one, many):
    """What is not the same in two runs, or None."""
    difference, name = largest_difference(state(one), state(many))
    if difference > 1e-5:
        return f"{name} by {difference:.2g}"
    assert len(metrics(many)) == STEPS
    for a, b in zip(metrics(one), metrics(many)):
        assert a.keys() == b.keys(), (a, b)
        for key in a:
            if abs(a[key] - b[key]) > 1e-5 * max(1, abs(a[key])):
                return f"{key}: {a} {b}"
    return None


def agree(processes, devices, settings=(), name="together", again=True):
    """P processes with D devices make what one process with P * D devices makes.

    About one run in eight meets the corner of a ReLU; with three seeds all of them do once in 500 times. A wrong sum does always.
    """
    for seed in "123":
        alone, together = f"alone{processes * devices}-{seed}", f"{name}{processes}x{devices}-{seed}"
        if not os.path.exists(f"{TMP}/{alone}"):
            finish(alone, 1, processes * devices, TINY + [f"seed={seed}"], expect=0)
        begin = time.time()
        finish(together, processes, devices, TINY + [f"seed={seed}", *settings], ["--profile=3:5"], expect=0)
        engine = {"gloo": "Gloo"}.get(ENV.get("XLA_BYOL_EXCHANGE"), "shared memory")
        assert f"exchange sums through {engine}" in said(together, 0), said(together, 0)
        profiles = os.listdir(f"{TMP}/{together}/plugins/profile/steps-00000003-00000005")
        assert len(profiles) == processes, profiles
        difference = differs(alone, together)
        print(f"{together}: {difference or 'the same'}, {time.time() - begin:.1f} s")
        if difference is None:
            break
    assert difference is None, (together, difference)
    if not again:
        return
    # The same bits when repeated.
    finish("again-" + together, processes, devices, TINY + [f"seed={seed}", *settings], expect=0)
    assert state_bytes("again-" + together) == state_bytes(together), together


def same2():
    agree(2, 1, again=False)
    agree(2, 2)
    # Where every process updates only its share of the parameters.
    agree(2, 2, ["execution.sharded_update=true"], "sharded")


def same4():
    agree(4, 1)
    agree(4, 2, again=False)


def gloo():
    """Of one machine's processes none would use it unasked."""
    ENV["XLA_BYOL_EXCHANGE"] = "gloo"
    agree(2, 2, ["execution.sharded_update=true"], "sharded")
    agree(4, 1)


def judge(run, processes, *settings):
    """What `evaluate` prints, of several processes together."""
    started = [subprocess.Popen(["xla_byol/evaluate", f"--run_dir={TMP}/{run}", *[f"--set={s}" for s in settings], *flags], env=ENV,
                                stdout=subprocess.PIPE, stderr=open(f"{TMP}/judge.{i}.err", "w"), text=True)
               for i, flags in enumerate(ranks(f"judge-{run}", processes))]
    printed = [process.communicate(timeout=240)[0] for process in started]
    assert [p.returncode for p in started] == [0] * processes, said("judge", 0)
    # Only the first one prints.
    assert printed[1:] == [""] * (processes - 1), printed
    return json.loads(printed[0].splitlines()[-1])


def evaluate():
    """`evaluate`, and the evaluation that ends `train`, give on four processes what they give on one."""
    enough = ["data.train_split=train[:2048]", "data.train_images=2048", "data.test_split=test[:2000]", "evaluation.linear_epochs=3",
              "evaluation.bank_images=1000", "evaluation.holdout_images=500", "schedule.epochs=0.25"]
    finish("judged", 4, 1, enough, expect=0)
    by_train = json.load(open(f"{TMP}/judged/evaluation.json"))
    for crops in ["false", "true"]:
        one, four = (judge("judged", n, f"evaluation.random_crops={crops}") for n in (1, 4))
        print(one, four, sep="\n")
        for result in [four] + ([by_train] if crops == "false" else []):
            assert result["linear_learning_rate"] == one["linear_learning_rate"], (one, result)
            for key in ["linear_top1", "linear_top5", "linear_holdout_top1", "knn_top1"]:
                assert abs(result[key] - one[key]) <= 0.001 + 1e-9, (key, one, result)
            for key in ["feature_rank", "feature_spread"]:
                assert abs(result[key] - one[key]) <= 1e-4 * one[key], (key, one, result)
        assert one["linear_top1"] > 0.2, one  # it has learned something that could differ


def wait_for_step(run, step, processes, timeout=120):
    deadline = time.time() + timeout
    # Or a later one: a checkpoint that is due while the one before is still being written is left out.
    while not any(name >= f"step-{step:08d}" for name in checkpoints(run)):
        assert time.time() < deadline, f"no step {step}"
        assert all(p.poll() is None for p in processes), f"{run} ended before step {step}: {said(run, 0)}"
        time.sleep(0.01)


def checkpoints(run):
    folder = f"{TMP}/{run}/checkpoints"
    return {name for name in os.listdir(folder) if name.startswith("step-")} if os.path.exists(folder) else set()


def end_all(processes, seconds):
    deadline = time.time() + seconds
    for process in processes:
        process.wait(timeout=max(deadline - time.time(), 0.1))


def faults():
    finish("undisturbed", 4, 1, LONGER, expect=0)
    # A process that dies takes the others along, and the same command goes on.
    random.seed(7)
    kills = 0
    while True:
        started = start("killed", 4, 1, LONGER, ["--peer_timeout=20"])
        if kills < KILLS:
            moment, victim = random.uniform(0, 1), random.randrange(4)
            # One that is not there yet would be waited for. Every other time they have made steps since the last kill.
            before = checkpoints("killed")
            while not (all("they meet in" in said("killed", rank) for rank in range(4)) and
                       (kills % 2 == 0 or checkpoints("killed") - before)) and all(p.poll() is None for p in started):
                time.sleep(0.02)
            time.sleep(moment if kills % 2 else 6 * moment)
            started[victim].send_signal(signal.SIGKILL)
            # At once, or, if Gloo was about to connect them, after --peer_timeout.
            end_all(started, 60)
            codes = [p.returncode for p in started]
            if codes == [0, 0, 0, 0]:
                break
            kills += 1
            for rank in range(4):
                if rank == victim or codes[rank] == 0:
                    continue
                text = said("killed", rank)
                assert codes[rank] == 75, (rank, codes, text)
                last = text.strip().splitlines()[-1]
                assert f"process {victim} (" in last and "is gone" in last and "step" in last, (victim, last)
            continue
        end_all(started, 240)
        assert [p.returncode for p in started] == [0] * 4, said("killed", 0)
        break
    assert state_bytes("killed", LONG_STEPS) == state_bytes("undisturbed", LONG_STEPS), "weights differ after kills"
    assert kills >= 1 if KILLS <= 2 else kills == KILLS, f"only {kills} of {KILLS} kills before the end"
    print(f"{kills} kills")
    # SIGTERM to one stops all after the same step.
    started = start("stopped", 4, 1, LONGER)
    wait_for_step("stopped", 4, started)
    started[2].send_signal(signal.SIGTERM)
    end_all(started, 30)
    steps = {re.search(r"stopped after step (\d+)", said("stopped", rank)).group(1) for rank in range(4)}
    assert [p.returncode for p in started] == [75] * 4 and len(steps) == 1, (steps, [p.returncode for p in started])
    finish("stopped", 4, 1, LONGER, expect=0)
    assert state_bytes("stopped", LONG_STEPS) == state_bytes("undisturbed", LONG_STEPS)
    # A host that does not answer: the process is there, but stopped.
    started = start("silent", 2, 1, LONGER, ["--peer_timeout=3"])
    wait_for_step("silent", 4, started)
    started[1].send_signal(signal.SIGSTOP)
    begin = time.time()
    started[0].wait(timeout=20)
    assert started[0].returncode == 75 and time.time() - begin < 8, (started[0].returncode, time.time() - begin)
    assert re.search(r"process 1 \(.*has been silent for 3s; this one was in step \d+", said("silent", 0)), said("silent", 0)
    started[1].send_signal(signal.SIGCONT)
    started[1].wait(timeout=20)
    refusals()


def refusals():
    differ = lambda *flags: (lambda rank: flags if rank == 1 else ())
    codes = finish("configs", 2, each=differ("--set=seed=9"))
    assert codes == [1, 1], (codes, said("configs", 0))
    for rank in range(2):
        assert "has another config" in said("configs", rank) and "seed" in said("configs", rank), said("configs", rank)
    # Another run directory: another checkpoint.
    shutil.copytree(f"{TMP}/undisturbed", f"{TMP}/older")
    os.makedirs(f"{TMP}/newer")
    codes = finish("older", 2, 1, LONGER, each=differ(f"--run_dir={TMP}/newer"))
    assert codes == [1, 1] and "has another checkpoint" in said("older", 0), (codes, said("older", 0))
    # Other images under the same name: from Debian's files, with some bytes changed.
    assert finish("devices", 2, each=differ("--devices=2")) == [1, 1]
    assert "has another number of devices" in said("devices", 0), said("devices", 0)
    # Who does not come, or comes twice.
    quick = ["--peer_timeout=2"]

    def alone(*flags, code, text, name="bad"):
        begin = time.time()
        done = subprocess.run(command(name, 1, (), *quick, *flags), env=ENV, capture_output=True, text=True, timeout=60)
        assert done.returncode == code and text in done.stderr, (done.returncode, done.stderr)
        assert time.time() - begin < 10

    meet = f"--rendezvous={TMP}/bad-meet"
    alone("--processes=2", "--process=0", meet, code=1, text="process 1 of 2 did not come")
    alone("--processes=2", "--process=1", meet, code=1, text="process 0 of 2 did not come")
    alone("--processes=2", "--process=2", meet, code=2, text="--process=2 is out of range")
    alone("--processes=2", "--process=1", code=2, text="need --rendezvous")
    alone("--processes=2", "--process=1", "--rendezvous=/proc/nowhere", code=2, text="--rendezvous: ")
    first = subprocess.Popen(command("bad", 1, (), "--processes=2", "--process=1", "--peer_timeout=20", meet), env=ENV,
                             stderr=subprocess.DEVNULL)
    time.sleep(1)
    alone("--processes=2", "--process=1", meet, code=1, text="has this rank")
    first.kill()
    first.wait()


def mpirun():
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    done = subprocess.run(["mpirun", "-n", "4", "--oversubscribe", *root, *command("mpirun")], env=ENV, capture_output=True, text=True,
                          timeout=240)
    assert done.returncode == 0, done.stderr
    assert re.search(r"process 3 of 4, started by mpirun; they meet in PMIx and exchange sums", done.stderr), done.stderr
    finish("folder", 4, expect=0)
    assert state_bytes("mpirun") == state_bytes("folder")
    done = subprocess.run(["mpirun", "-n", "2", "--oversubscribe", *root, *command("mixed", 1, (), "--processes=3")], env=ENV,
                          capture_output=True, text=True, timeout=240)
    assert done.returncode == 2 and "--processes=3, but mpirun says 2" in done.stderr, done.stderr


{"same2": same2, "same4": same4, "gloo": gloo, "evaluate": evaluate, "faults": faults, "mpirun": mpirun}[PART]()

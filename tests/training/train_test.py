"""Runs the programs as a user does; the numbers that count are bytes of checkpoints."""
import hashlib, json, os, random, re, resource, shutil, signal, subprocess, sys, time

KILLS, TMP = int(sys.argv[1]), sys.argv[2]
ENV = dict(os.environ, XDG_CACHE_HOME=f"{TMP}/cache", BUILD_WORKING_DIRECTORY=TMP)
STEPS = 128
# Small, but with a projector that XLA gives to a library for products, which small ones are not.
SMALL = ["data.train_split=train[:4096]", "data.test_split=test[:512]", "data.train_images=4096", "data.image_size=8",
         "model.stem=SMALL", "model.base_channels=4", "model.projector_hidden_size=256", "model.projector_output_size=64",
         "schedule.batch_size=32", "schedule.epochs=1", "schedule.warmup_epochs=0.1", "evaluation.random_crops=false",
         "evaluation.linear_epochs=1", "evaluation.linear_batch_size=256", "evaluation.bank_images=512",
         "evaluation.interval_epochs=0", "evaluation.image_size=8", "recording.diagnostics_interval=16",
         "recording.checkpoint_steps=8", "recording.metrics_interval=4"]


def command(run, *extra, program="train", settings=SMALL):
    return ([f"xla_byol/{program}", f"--run_dir={TMP}/{run}"] + [f"--set={s}" for s in settings] + list(extra))


def full_disk(limit):
    """For preexec_fn: files end at `limit` bytes."""
    return (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None


def finish(run, *extra, expect=0, limit=None, **how):
    """Runs to the end; its stderr."""
    done = subprocess.run(command(run, *extra, **how), env=ENV, capture_output=True, text=True, preexec_fn=full_disk(limit))
    assert done.returncode == expect, f"exit {done.returncode}, expected {expect}:\n{done.stderr}"
    return done.stderr


def weights(run, step=STEPS):
    with open(f"{TMP}/{run}/checkpoints/step-{step:08d}/state.safetensors", "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def metrics(run):
    """All that does not depend on the clock."""
    lines = [json.loads(line) for line in open(f"{TMP}/{run}/metrics.jsonl")]
    drop = {"time", "images_per_s", "data_wait_share"}
    return [{k: v for k, v in line.items() if k not in drop} for line in lines if line["kind"] in ("train", "diagnostics")]


def newest(run):
    return max(name for name in os.listdir(f"{TMP}/{run}/checkpoints") if name.startswith("step-"))


def wait_for(condition, process, what):
    for _ in range(2400):
        if condition():
            return
        assert process.poll() is None, f"ended with {process.returncode} before {what}"
        time.sleep(0.05)
    raise AssertionError(f"no {what} after two minutes")


def kinds(run):
    return [json.loads(line)["kind"] for line in open(f"{TMP}/{run}/metrics.jsonl")]


# A run that nothing happens to.
said = finish("whole")
assert "linear probe" in said and "k-NN" in said and "report.html" in said, said
truth, records = weights("whole"), metrics("whole")
assert [r["step"] for r in records if r["kind"] == "train"] == list(range(4, STEPS + 1, 4))
assert os.path.getsize(f"{TMP}/whole/report.html") > 10000
session = [json.loads(line) for line in open(f"{TMP}/whole/metrics.jsonl")][-1]
assert session["kind"] == "session" and session["final_evaluation_s"] > 0.1 and session["training_s"] > 0, session
assert "resume" not in kinds("whole")
assert "all 128 steps are done" in finish("whole"), "a complete run is not trained again"
assert kinds("whole").count("session") == kinds("whole").count("resume") == 1, "a repeated evaluation takes no time of the run"

# kill -9 at random moments, other numbers of reader threads each time. A run that ends before all kills are done is
# compared, and another one begins.


def unfinished(run):
    """Whether a checkpoint is half written."""
    try:
        return any(name.startswith(".tmp-") for name in os.listdir(f"{TMP}/{run}/checkpoints"))
    except FileNotFoundError:
        return False


def wait_for_moment(run, process):
    """Until the moment to kill it, and which one: in its start, at or soon after the write of a metric, or in that of a checkpoint."""
    moment = random.choice(["start", "metric", "metric", "checkpoint", "checkpoint"])
    path = f"{TMP}/{run}/metrics.jsonl"
    size = lambda: os.path.getsize(path) if os.path.exists(path) else 0
    before, deadline = size(), time.time() + 60
    if moment == "start":
        time.sleep(random.uniform(0, 2))
    swept = False  # what the kill before left behind is no write of this process
    while moment != "start" and time.time() < deadline and process.poll() is None:
        swept = swept or not unfinished(run)
        if swept and unfinished(run) if moment == "checkpoint" else size() != before:
            break
        time.sleep(0.0002)
    if moment == "metric":
        time.sleep(random.uniform(0, 0.15))
    return moment


def compare(run):
    assert weights(run) == truth, f"weights differ after kills ({run})"
    assert metrics(run) == records, f"metrics differ after kills ({run})"


random.seed(5)
starts = kills = torn = runs = 0
while True:
    run = f"killed{runs}"
    process = subprocess.Popen(command(run, f"--reader_threads={1 + starts % 3}"), env=ENV,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    starts += 1
    if kills < KILLS:
        moment = wait_for_moment(run, process)
        process.send_signal(signal.SIGKILL)
    code = process.wait()
    assert code in (0, -9), code
    kills += code == -9
    torn += code == -9 and moment == "checkpoint" and unfinished(run)
    if code == 0:
        compare(run)
        runs += 1
        if kills == KILLS:
            break
print(f"{kills} kills in {starts} starts of {runs} runs; {torn} left half a checkpoint")

# SIGTERM: ends after the step with 75, and the same command goes on.
process = subprocess.Popen(command("stopped"), env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
wait_for(lambda: os.path.exists(f"{TMP}/stopped/checkpoints"), process, "checkpoint")
process.send_signal(signal.SIGTERM)
said = process.communicate()[1]
assert process.returncode == 75, (process.returncode, said)
assert re.search(r"stopped after step \d+ of 128; run the same command to resume", said), said

# Two at once: the second refuses.
first = subprocess.Popen(command("stopped"), env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
wait_for(lambda: open(f"{TMP}/stopped/lock").read().strip() == str(first.pid), first, "lock")
assert f"is in use by process {first.pid}" in finish("stopped", expect=1)
assert first.wait() == 0
assert weights("stopped") == truth and metrics("stopped") == records
assert kinds("stopped").count("resume") == 1 and kinds("stopped").count("session") == 2, kinds("stopped")

# A stop in the final evaluation: what was trained is on record, and the same command evaluates.
slow = ["--set=evaluation.linear_epochs=2000"]
process = subprocess.Popen(command("ended", *slow), env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
for line in process.stderr:
    if "test images: " in line:
        break
process.send_signal(signal.SIGTERM)
said = process.communicate()[1]
assert process.returncode == 75 and "run the same command to resume" in said, (process.returncode, said)
assert kinds("ended")[-1] == "session" and "evaluation" not in kinds("ended"), kinds("ended")
assert "all 128 steps are done" in finish("ended")
assert kinds("ended")[-3:] == ["resume", "evaluation", "session"], kinds("ended")

# Checkpoints that stay for good, whatever else is due.
finish("kept", "--set=recording.checkpoint_steps=0", "--set=recording.checkpoint_minutes=0", "--set=recording.keep_every=48",
       "--set=recording.keep_checkpoints=1")
assert sorted(os.listdir(f"{TMP}/kept/checkpoints")) == [f"step-{step:08d}" for step in (48, 96, STEPS)]
assert weights("kept") == truth

# A stop in the middle of an evaluation ends it; the next start makes it again, and none is on record twice.
slow = ["--set=evaluation.interval_epochs=0.25", "--set=evaluation.image_size=48", "--set=evaluation.bank_images=4096"]
process = subprocess.Popen(command("evaluated", *slow), env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
for line in process.stderr:
    if "test images: " in line:
        break
start = time.time()
process.send_signal(signal.SIGTERM)
said = process.communicate()[1]
print(f"stopped in an evaluation: {time.time() - start:.2f} s")
assert process.returncode == 75 and f"stopped after step {STEPS // 4} of" in said, (process.returncode, said)
assert "effective rank" not in said, "the evaluation went on to its end"
for _ in range(2):
    finish("evaluated", *slow)
lines = [json.loads(line) for line in open(f"{TMP}/evaluated/metrics.jsonl")]
assert [line["step"] for line in lines if line["kind"] == "evaluation"] == [32, 64, 96, STEPS]
assert weights("evaluated") == truth and metrics("evaluated") == records

# A call that was wrong binds nobody; a run that has begun does.
assert 'the nearest is "fashion_mnist"' in finish("fresh", "--set=data.dataset=fashion_mnits", expect=1)
finish("fresh", "--set=schedule.epochs=0.125")

# A changed config says what changed; --branch goes on with it.
shutil.copytree(f"{TMP}/whole", f"{TMP}/changed")
said = finish("changed", "--set=optimizer.base_learning_rate=0.5", expect=1)
assert "optimizer.base_learning_rate: " in said and "--branch" in said, said
finish("changed", "--set=recording.metrics_interval=8")  # does not matter to the weights
said = finish("changed", "--set=schedule.epochs=1.25", "--branch")
assert "branching: schedule.epochs: 1 -> 1.25" in said, said
weights("changed", 160)

# A flipped byte in the newest checkpoint: named, set aside, and the end is the same.
for place in (0.01, 0.5, 0.99):
    shutil.rmtree(f"{TMP}/flipped", ignore_errors=True)
    shutil.copytree(f"{TMP}/whole", f"{TMP}/flipped")
    path = f"{TMP}/flipped/checkpoints/{newest('flipped')}/state.safetensors"
    data = bytearray(open(path, "rb").read())
    data[int(place * len(data))] ^= 16
    open(path, "wb").write(data)
    # A checkpoint that is due while the one before is still being written is left out, so the steps vary.
    before = int(sorted(n for n in os.listdir(f"{TMP}/flipped/checkpoints") if n.startswith("step-"))[-2][5:])
    said = finish("flipped")
    assert "is damaged" in said and "renamed to" in said and f"resuming after step {before}" in said, said
    assert weights("flipped") == truth

# A disk with no room for a checkpoint: training goes on and says so; what is there stays.
shutil.rmtree(f"{TMP}/full", ignore_errors=True)
said = finish("full", expect=1, limit=40000)
assert "was NOT saved" in said and "last checkpoint could not be saved" in said, said
assert not [n for n in os.listdir(f"{TMP}/full/checkpoints") if n.startswith("step-")]
# A stop then says where the next start goes on.
process = subprocess.Popen(command("halted", "--set=schedule.epochs=8"), env=ENV, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True, preexec_fn=full_disk(40000))
path = f"{TMP}/halted/metrics.jsonl"
wait_for(lambda: os.path.exists(path) and '"kind":"train"' in open(path).read(), process, "metrics")
process.send_signal(signal.SIGTERM)
said = process.communicate()[1]
assert process.returncode == 75, (process.returncode, said)
assert re.search(r"stopped after step \d+ of 1024, which could not be saved; the same command resumes after step 0", said), said
# Nor does a start on a full disk fail where a run is there already.
said = finish("full", expect=1, limit=200)
assert "last checkpoint could not be saved" in said, said
finish("full")
assert weights("full") == truth

# A run that diverges stops, says where, and leaves the last good checkpoint alone.
shutil.copytree(f"{TMP}/whole", f"{TMP}/lost")
for name in os.listdir(f"{TMP}/lost/checkpoints"):
    if name == "step-00000128":
        shutil.rmtree(f"{TMP}/lost/checkpoints/{name}")
# The one before it, which may have been left out while another was being written.
last = int(newest("lost").removeprefix("step-"))
kept = weights("lost", last)
said = finish("lost", "--set=data.stddev=1e-38", "--branch", expect=1)
assert re.search(rf"diverged in step {last}: the loss is .*nan.*\d+ of \d+ tensors are not finite, first 'online/", said), said
assert f"the checkpoint of step {last} is intact" in said and weights("lost", last) == kept

# evaluate and report on their own.
done = subprocess.run([f"xla_byol/evaluate", f"--run_dir={TMP}/whole"], env=ENV, capture_output=True, text=True)
assert done.returncode == 0, done.stderr
result = json.loads(done.stdout.splitlines()[-1])
# Chance is 0.1; 128 steps of this small network reach 0.42 and 0.41.
features = json.load(open(f"{TMP}/whole/features.json"))
images = sum(map(sum, features["confusion"]))
right = sum(features["confusion"][i][i] for i in range(10))
assert features["step"] == STEPS and abs(right / images - result["linear_top1"]) < 1e-3, (right, images, result)
assert len(features["gallery"]["rows"]) == 10 and len(features["map"]["x"]) > 100
assert result["step"] == STEPS and 0.3 < result["knn_top1"] <= 1 and 0.3 < result["linear_top1"] <= result["linear_top5"] <= 1
assert subprocess.run([f"xla_byol/evaluate", f"--run_dir={TMP}/nowhere"], env=ENV, capture_output=True).returncode == 1
# A probe's batch that leaves a device without an image is refused at once, before a run is trained and after.
few = ["--devices=2", "--set=evaluation.linear_batch_size=1"]
done = subprocess.run([f"xla_byol/evaluate", f"--run_dir={TMP}/whole", *few], env=ENV, capture_output=True, text=True)
assert done.returncode == 2 and "linear_batch_size is 1: it must be at least the number of devices, 2" in done.stderr, done.stderr
said = finish("few", *few, expect=2)
assert "linear_batch_size is 1: it must be" in said and "compiling" not in said, said
# Without labels: only signs of collapse.
said = finish("unlabelled", "--set=data.classes=0", "--set=schedule.epochs=0.125")
assert "effective rank" in said and "k-NN" not in said and "linear probe" not in said, said
features = json.load(open(f"{TMP}/unlabelled/features.json"))
assert "confusion" not in features and len(features["gallery"]["rows"]) == 10
print("all held")

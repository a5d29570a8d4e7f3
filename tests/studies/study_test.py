"""Runs `study` as a user does. What counts is results.jsonl, to the last digit, without the times."""
import json, os, random, signal, subprocess, sys, time

KILLS, TMP = int(sys.argv[1]), sys.argv[2]
SEEDS = max(2, KILLS)  # enough runs that one study lives through all kills
# Without a repository the commit is the version: a tree with changes on top of a commit would share no runs.
ENV = dict(os.environ, XDG_CACHE_HOME=f"{TMP}/cache", BUILD_WORKING_DIRECTORY=TMP, GIT_DIR=f"{TMP}/no-repository")

# Trainings of a second each, on noise: two classes of gray images in the layout of MNIST.
os.makedirs(f"{TMP}/data", exist_ok=True)
random.seed(7)
for split, count in (("train", 256), ("t10k", 64)):
    labels = bytes(random.randrange(2) for _ in range(count))
    images = b"".join(random.randbytes(64) if label else bytes(64) for label in labels)
    for kind, magic, sizes, content in (("images-idx3", 0x803, (count, 8, 8), images), ("labels-idx1", 0x801, (count,), labels)):
        with open(f"{TMP}/data/{split}-{kind}-ubyte", "wb") as file:
            file.write(b"".join(n.to_bytes(4, "big") for n in (magic, *sizes)) + content)

with open(f"{TMP}/base.textproto", "w") as file:
    file.write(f"""
data {{ dataset: "{TMP}/data" test_split: "test" image_size: 8 channels: 1 classes: 2 train_images: 256 mean: 0.5 stddev: 0.5 }}
model {{ architecture: "tiny" stem: SMALL base_channels: 2 projector_hidden_size: 8 projector_output_size: 4 }}
schedule {{ batch_size: 8 epochs: 2 warmup_epochs: 0 }}
evaluation {{ interval_epochs: 0 linear_epochs: 1 linear_batch_size: 32 random_crops: false bank_images: 128 neighbours: 5 }}
recording {{ diagnostics_interval: 0 checkpoint_steps: 8 checkpoint_minutes: 0 metrics_interval: 4 }}
""")
with open(f"{TMP}/tiny.textproto", "w") as file:
    file.write(f"""
title: "A tiny study"
base: "base.textproto"
seed: {list(range(SEEDS))}
minutes: 0.1
grid {{ axis {{ field: "predictor.ridge" value: ["0", "0.9"] }} }}
table {{ title: "Accuracy." rows: "ridge" measure: ["linear_top1", "knn_top1"] }}
figure {{ title: "Loss" metric: "loss" curves: "ridge" }}
""")


def command(folder, *extra):
    # Of a flag that is given twice, the last one counts.
    return ["xla_byol/study", f"--config={TMP}/tiny.textproto", f"--study_dir={TMP}/{folder}", *extra]


def finish(folder, *extra, expect=0):
    done = subprocess.run(command(folder, *extra), env=ENV, capture_output=True, text=True)
    assert done.returncode == expect, f"exit {done.returncode}, expected {expect}:\n{done.stderr}"
    return done


def results(folder):
    """All that does not depend on the clock."""
    with open(f"{TMP}/{folder}/results.jsonl") as file:
        return [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in file]


# Before anything runs.
said = finish("whole", "--dry_run").stdout
assert f"tiny: {2 * SEEDS} runs, 0 of them complete; {128 * SEEDS} steps" in said and "ridge-0.9-seed-1" in said, said
assert not os.path.exists(f"{TMP}/whole"), "a dry run leaves nothing behind"
assert "did you mean 'seed=" in finish("whole", "--only=seed=77", expect=2).stderr

# Without interruption, then once more: nothing is trained again.
begun = time.monotonic()
finish("whole")
seconds = time.monotonic() - begun
truth = results("whole")
assert [r["run"] for r in truth] == [f"ridge-{a}-seed-{s}" for a in ("0", "0.9") for s in range(SEEDS)], truth
repeated = truth[SEEDS + 1]  # ridge 0.9, seed 1
for result in truth:
    assert set(result) >= {"study", "values", "seed", "linear_top1", "linear_top5", "knn_top1", "feature_rank", "plugin", "commit"}, result
    assert result["study"] == "tiny" and isinstance(result["values"]["predictor.ridge"], (int, float)), result
    assert result["plugin"].startswith("cpu, PJRT ") and result["commit"], result
assert len({r["linear_top1"] for r in truth} | {r["feature_rank"] for r in truth}) > 2, "runs differ"
changed = os.path.getmtime(f"{TMP}/whole/runs/ridge-0-seed-0/metrics.jsonl")
said = finish("whole").stdout
assert "Accuracy." in said and "±" in said, said
assert changed == os.path.getmtime(f"{TMP}/whole/runs/ridge-0-seed-0/metrics.jsonl")
with open(f"{TMP}/whole/study.html") as file:
    assert "A tiny study" in file.read()

# One row alone gives the same number, to the last digit.
finish("row", "--only=ridge=0.9,seed=1")
assert results("row") == [repeated], (results("row"), repeated)

# A study with runs in common takes them, and only them; a row says so, and is the same otherwise.
with open(f"{TMP}/tiny.textproto") as file, open(f"{TMP}/cousin.textproto", "w") as other:
    other.write(file.read().replace('["0", "0.9"]', '["0.9", "0.5"]').replace(f"seed: {list(range(SEEDS))}", "seed: 1"))
os.makedirs(f"{TMP}/studies")
os.rename(f"{TMP}/whole", f"{TMP}/studies/tiny")
shared = [f"--config={TMP}/cousin.textproto", "--reuse=studies"]
said = finish("studies/cousin", *shared).stderr
assert "taken from tiny/ridge-0.9-seed-1" in said and said.count("taken from") == 1, said
taken, own = results("studies/cousin")
assert taken == dict(repeated, study="cousin", taken_from="tiny/ridge-0.9-seed-1"), (taken, repeated)
assert own["run"] == "ridge-0.5-seed-1" and "taken_from" not in own, own
with open(f"{TMP}/studies/cousin/figures.json") as file:
    assert [curve["runs"] for curve in json.load(file)[0]["curves"]] == [1, 1]
assert results("studies/tiny") == truth, "the study that was taken from is as it was"
assert "taken from" not in finish("studies/fewer", *shared, "--devices=2", "--only=ridge=0.9").stderr, "two devices round differently"
assert "not with --on" in finish("slurm", *shared, "--on=slurm", expect=2).stderr

# kill -9 of `study` at random moments, one or two runs at a time; its trainings must not outlive it. One study lives
# through all kills; should it end before them (the machine was slower before), the next one is killed sooner.
random.seed()
longest = 1.2 * seconds / KILLS
for attempt in range(5):
    folder = f"killed-{attempt}"
    kills = 0
    while True:
        jobs = random.choice((1, 2))
        with open(f"{TMP}/{folder}.log", "w") as log:
            study = subprocess.Popen(command(folder, f"--jobs={jobs}"), env=ENV, stdout=log, stderr=log)
        try:
            code = study.wait(timeout=random.uniform(0.1, longest) if kills < KILLS else None)
            with open(f"{TMP}/{folder}.log") as log:
                assert code == 0, f"exit {code}:\n{log.read()}"
            break
        except subprocess.TimeoutExpired:
            study.kill()
            study.wait()
            kills += 1
    assert results(folder) == truth, f"{results(folder)}\nis not\n{truth}"
    print(f"{kills} kills")
    if kills == KILLS:
        break
    longest /= 2
assert kills == KILLS, "no study lived through all kills"

# SIGTERM: runs save their state, and the exit code says that the same command goes on.
study = subprocess.Popen(command("stopped"), env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
while not os.path.exists(f"{TMP}/stopped/runs/ridge-0-seed-0/metrics.jsonl"):
    assert study.poll() is None, study.stderr.read()
    time.sleep(0.05)
study.send_signal(signal.SIGTERM)
said = study.communicate()[1]
assert study.returncode == 75 and f"of {2 * SEEDS} runs complete; the same command goes on" in said, (study.returncode, said)
finish("stopped")
assert results("stopped") == truth

# A run that cannot be trained does not stop the others, and is named.
said = finish("failing", "--set=data.dataset=/nowhere", "--only=seed=0", expect=1).stderr
assert "2 of 2 runs failed" in said and "/nowhere" in said, said
assert " and 1 more: " in said and said.splitlines()[-1].count("/nowhere") == 1, said  # what both lack is said once

# Results as a file of their own, as docs/results has them.
said = finish("laid_out", f"--results={TMP}/studies/tiny/results.jsonl", "--markdown").stdout
assert "| ridge | linear probe, top 1 | k-NN |" in said, said

# Elsewhere.
script = finish("slurm", "--on=slurm", "--jobs=3", "--only=seed=0").stdout
assert "#SBATCH --array=0-1%3" in script and "'ridge-0.9-seed-0'" in script, script
subprocess.run(["bash", "-n"], input=script, text=True, check=True)
assert os.path.exists(f"{TMP}/slurm/configs/ridge-0.9-seed-0.textproto")
manifests = json.loads(finish("jobset", "--on=jobset", "--topology=v3:8x8", "--image=i", "--bucket=b").stdout)
assert manifests["kind"] == "List" and len(manifests["items"]) == 2 * SEEDS
names = {item["metadata"]["name"] for item in manifests["items"]}
assert names == {f"tiny-ridge-{a}-seed-{s}" for a in ("0", "0-9") for s in range(SEEDS)}, names
assert "needs --topology" in finish("jobset", "--on=jobset", expect=2).stderr

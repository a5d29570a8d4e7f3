"""Every method learns: three epochs of Fashion-MNIST with the demo's network end above 82 % of a linear probe.

    learns_test.py FOLDER [METHOD]...

The untrained network has 75 %.
"""
import json, os, subprocess, sys

METHODS = {
    "simsiam": ["predictor.kind=MLP", "predictor.hidden_size=128"],
    "barlow_twins": ["predictor.kind=IDENTITY", "optimizer.vector_rate=0.05"],
    "vicreg": ["predictor.kind=IDENTITY"],
    "liu": ["predictor.kind=LINEAR", "method.invariance_weight=10", "method.partitions=2"],
    "eigenmap": ["predictor.kind=IDENTITY", "model.joint_statistics=true"],
}
SETTINGS = ["schedule.epochs=3", "recording.diagnostics_interval=0"]
FLOOR = 0.82


def accuracy(folder, method):
    run = os.path.join(folder, method)
    settings = [f"method.kind={method.upper()}"] + METHODS[method] + SETTINGS
    done = subprocess.run(["xla_byol/train", "--config=configs/fashion_mnist_ns.textproto", f"--run_dir={run}"]
                          + [f"--set={s}" for s in settings],
                          env=dict(os.environ, BUILD_WORKING_DIRECTORY=os.getcwd()), capture_output=True, text=True)
    assert done.returncode == 0, f"{method}: exit {done.returncode}\n{done.stderr}"
    with open(os.path.join(run, "metrics.jsonl")) as file:
        records = [json.loads(line) for line in file]
    return [record["linear_top1"] for record in records if "linear_top1" in record][-1]


wanted = sys.argv[2:] or list(METHODS)
problems = []
for name in wanted:
    share = accuracy(sys.argv[1], name)
    print(f"{name}: {share:.2%}", flush=True)
    if share < FLOOR:
        problems.append(f"{name} ends at {share:.2%}, below {FLOOR:.0%}")
sys.exit("; ".join(problems) or 0)

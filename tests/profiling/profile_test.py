"""A profile of `train`, as others read it.

profile_test.py jax|xprof TMP
"""
import json, os, subprocess, sys

READER, TMP = sys.argv[1:]
ENV = dict(os.environ, XDG_CACHE_HOME=f"{TMP}/cache", BUILD_WORKING_DIRECTORY=TMP)
ENV.pop("PYTHONPATH", None)
SMALL = ["data.train_split=train[:320]", "data.test_split=test[:64]", "data.train_images=320", "data.image_size=8",
         "model.stem=SMALL", "model.base_channels=4", "model.projector_hidden_size=64", "model.projector_output_size=32",
         "schedule.batch_size=32", "schedule.epochs=1", "schedule.warmup_epochs=0.1", "evaluation.linear_at_end=false",
         "evaluation.bank_images=64", "evaluation.interval_epochs=0", "evaluation.image_size=8",
         "recording.diagnostics_interval=0", "recording.checkpoint_steps=4"]


def train(profile, expect=0):
    done = subprocess.run(["xla_byol/train", f"--run_dir={TMP}/run", f"--profile={profile}"] + [f"--set={s}" for s in SMALL],
                          env=ENV, capture_output=True, text=True)
    assert done.returncode == expect, (done.returncode, done.stderr)
    return done.stderr


assert "--profile=7:3: it must be FROM:TO" in train("7:3", expect=2)
said = train("3:7")
folder = f"{TMP}/run/plugins/profile/steps-00000003-00000007"
file, = os.listdir(folder)
path = f"{folder}/{file}"
assert file.endswith(".xplane.pb") and f"profile: {path}" in said, (file, said)

PARTS = {"wait for data", "transfer", "enqueue", "metrics", "checkpoint"}


def check(steps, parts):
    """`steps`: number, begin and end of each; `parts`: name, begin and end."""
    assert [number for number, _, _ in steps] == [3, 4, 5, 6], steps
    assert all(a[2] <= b[1] + 2e-3 for a, b in zip(steps, steps[1:])), steps
    assert {name for name, _, _ in parts} == PARTS, parts
    # Four steps, of which each has one of these. A checkpoint comes after step 4; more would be left out at times, since none
    # begins while the one before is still being written.
    for name, count in {"wait for data": 4, "transfer": 4, "enqueue": 4, "checkpoint": 1}.items():
        assert sum(part[0] == name for part in parts) == count, (name, parts)
    inside = [any(begin <= b and e <= end for _, begin, end in steps) for name, b, e in parts if name != "metrics"]
    assert all(inside), (steps, parts)


if READER == "jax":
    from jax.profiler import ProfileData
    plane, = ProfileData.from_file(path).planes
    assert plane.name == "/host:CPU", plane.name
    line, = plane.lines
    events = list(line.events)
    steps = [(dict(e.stats)["step_num"], e.start_ns, e.end_ns) for e in events if e.name == "train"]
    check(steps, [(e.name, e.start_ns, e.end_ns) for e in events if e.name != "train"])
    print(f"{len(events)} events")
else:
    from xprof.convert import raw_to_tool_data
    tools = raw_to_tool_data.xspace_to_tool_names([path])
    assert any(tool.startswith("trace_viewer") for tool in tools) and "overview_page" in tools, tools
    data, _ = raw_to_tool_data.xspace_to_tool_data([path], "trace_viewer", {})
    events = [e for e in json.loads(data)["traceEvents"] if e.get("ph") == "X"]
    # It calls a step by its number, and says of every other event to which step it belongs. Its times are rounded to nanoseconds.
    groups = {e["args"]["group_id"]: e["name"] for e in events if "step_num" in e["args"]}
    steps = sorted((int(e["args"]["step_num"]), e["ts"] - 1e-3, e["ts"] + e["dur"] + 1e-3) for e in events if "step_num" in e["args"])
    check(steps, [(e["name"], e["ts"], e["ts"] + e["dur"]) for e in events if "step_num" not in e["args"]])
    assert sorted(groups.values()) == [f"train {n}" for n in (3, 4, 5, 6)], groups
    belongs = [groups[e["args"]["group_id"]] for e in events if e["name"] == "enqueue"]
    assert sorted(belongs) == sorted(groups.values()), belongs
    print(f"{len(events)} events, tools {tools}")

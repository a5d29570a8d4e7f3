"""Reads a run's event files with TensorBoard and compares with metrics.jsonl."""

import json
import os
import sys

from tensorboard.backend.event_processing import event_accumulator

run = sys.argv[1]
keep_all = {"scalars": 0, "images": 0, "histograms": 0, "tensors": 0}
events = event_accumulator.EventAccumulator(run, size_guidance=keep_all, purge_orphaned_data=True)
events.Reload()
tags = events.Tags()
assert tags["scalars"] == ["train/loss"], tags
assert tags["images"] == ["train/views"], tags
assert tags["histograms"] == ["train/spectrum"], tags

lines = [json.loads(line) for line in open(os.path.join(run, "metrics.jsonl"))]
steps = [line["step"] for line in lines]
assert steps == list(range(1, 13)), steps
for tag, read in (("train/loss", events.Scalars), ("train/views", events.Images),
                  ("train/spectrum", events.Histograms)):
    assert [event.step for event in read(tag)] == steps, (tag, read(tag))
for line, event in zip(lines, events.Scalars("train/loss")):
    # The session that the value came from counts: 1-6 the first, 7-8 the second, then the third.
    assert abs(line["loss"] - event.value) < 1e-6 * line["loss"], (line, event)
    assert event.wall_time == line["time"], (line, event)
assert lines[6]["loss"] == 7.06 and lines[8]["loss"] == 9.08, lines

histogram = events.Histograms("train/spectrum")[0].histogram_value
assert (histogram.min, histogram.max, histogram.num) == (0.25, 1.0, 4.0), histogram
assert list(histogram.bucket) == [0, 3, 1] and list(histogram.bucket_limit) == [0.25, 0.5, 1.0], histogram
image = events.Images("train/views")[0]
assert (image.width, image.height) == (5, 3) and image.encoded_image_string[1:4] == b"PNG", image

# Without the purge the older sessions' steps are still in their files: what was checked is the rewinding.
everything = event_accumulator.EventAccumulator(run, size_guidance=keep_all, purge_orphaned_data=False)
everything.Reload()
assert len(everything.Scalars("train/loss")) == 10 + 3 + 4

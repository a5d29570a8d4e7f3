"""Verification of a prepared directory: each record's CRCs, counts, images that decode, labels in range.

Needs no TensorFlow. Shards are read by as many processes as there are cores.
"""

import collections
import concurrent.futures
import os

from failure import Failure
from image_folder import decode as decode_image
from layout import find_directories, read_layout
from progress import Progress
from tfrecord import RecordError, parse_example, read_records

FAULTS_PER_SHARD = 10  # Sentences printed for one shard; the rest are counted.
UNLABELED = -1  # What TFDS writes where the truth is withheld (ImageNet's test split).

ShardReport = collections.namedtuple("ShardReport", "faults fault_count records unlabeled unlabeled_at")


def verify(root, decode=True):
    """Verifies each prepared directory at or under root. Returns (sentences of faults, records seen)."""
    if not os.path.isdir(root):
        raise Failure(f"{root} is not a directory")
    directories = find_directories(root)
    if not directories:
        raise Failure(f"{root} holds no prepared data set: no dataset_info.json is in it or in NAME/VERSION below it")
    faults, records = [], 0
    for directory in directories:
        more, seen = verify_directory(directory, decode)
        faults += more
        records += seen
    return faults, records


def verify_directory(directory, decode=True):
    """Verifies one <name>/<version> directory. Returns (sentences of faults, records seen)."""
    layout = read_layout(directory)
    jobs = [(shard, layout.image_keys, layout.label_classes, decode) for shard in layout.shards]
    faults, reports = [], []
    with Progress(f"verifying {directory}", layout.records, "records") as progress:
        for shard, report in zip(layout.shards, _parallel(jobs)):
            progress.add(shard.records)
            reports.append((shard, report))
            faults += report.faults
            if report.fault_count > len(report.faults):
                faults.append(f"{shard.path}: {report.fault_count - len(report.faults)} more faults")
    return faults + _half_labeled(reports), sum(report.records for _, report in reports)


def _parallel(jobs):
    workers = min(len(jobs), os.cpu_count() or 1)
    if workers == 1:
        yield from map(check_shard, jobs)
        return
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        yield from pool.map(check_shard, jobs)


def _half_labeled(reports):
    """A split without any labels is fine; one with a few missing is not."""
    for split in dict.fromkeys(shard.split for shard, _ in reports):
        of_split = [(shard, report) for shard, report in reports if shard.split == split]
        missing = sum(report.unlabeled for _, report in of_split)
        total = sum(report.records for _, report in of_split)
        if 0 < missing < total:
            shard, report = next(pair for pair in of_split if pair[1].unlabeled)
            where = f"{shard.path} at offset {report.unlabeled_at}"
            return [f"{where}: the label is {UNLABELED}, as are {missing} of {total} labels of split {split}; all or none must be"]
    return []


def check_shard(job):
    """Reads one shard to its end. A function of one argument, for a pool of processes."""
    shard, image_keys, label_classes, decode = job
    faults, count, records, unlabeled, unlabeled_at = [], 0, 0, 0, None

    def fault(offset, what):
        nonlocal count
        count += 1
        if len(faults) < FAULTS_PER_SHARD:
            faults.append(f"{shard.path} at offset {offset}: {what}")

    try:
        size = os.path.getsize(shard.path)
        complete = True
        with open(shard.path, "rb", buffering=1 << 20) as file:
            for offset, data in read_records(file, size):
                if isinstance(data, RecordError):
                    fault(offset, str(data))
                    complete &= data.readable_after
                    records += data.readable_after
                    continue
                records += 1
                example, what = _example(data)
                what = what or _labels_fault(example, label_classes) or _image_fault(example, image_keys, decode)
                if what:
                    fault(offset, what)
                elif any(example.get(key) == [UNLABELED] for key in label_classes):
                    unlabeled += 1
                    unlabeled_at = offset if unlabeled_at is None else unlabeled_at
        if records != shard.records and complete:
            fault(size, f"the shard ends after {records} records, dataset_info.json says {shard.records}")
    except OSError as error:
        fault(0, f"the shard cannot be read: {error.strerror}")
    return ShardReport(faults, count, records, unlabeled, unlabeled_at)


def _example(data):
    try:
        return parse_example(data), None
    except ValueError as error:
        return {}, f"the record is not a tf.Example: {error}"


def _labels_fault(example, label_classes):
    for key, classes in label_classes.items():
        values = example.get(key, [])
        if len(values) != 1 or not isinstance(values[0], int):
            return f"the record has {len(values)} integers in feature {key}, one label is expected"
        if values[0] != UNLABELED and not 0 <= values[0] < classes:
            return f"label {values[0]} of feature {key} is outside 0..{classes - 1}"
    return None


def _image_fault(example, image_keys, decode):
    for key in image_keys:
        values = example.get(key, [])
        if len(values) != 1 or not isinstance(values[0], bytes):
            return f"the record has {len(values)} images in feature {key}, one is expected"
        if decode:
            try:
                decode_image(values[0])
            except ValueError as error:
                return f"the image of feature {key} does not decode: {error}"
    return None

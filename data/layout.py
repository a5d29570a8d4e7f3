"""What a directory in TFDS layout says of itself: dataset_info.json, features.json, the names of its shards."""

import dataclasses
import json
import pathlib

from failure import Failure

DEFAULT_TEMPLATE = "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"


@dataclasses.dataclass(frozen=True)
class Shard:
    path: pathlib.Path
    split: str
    records: int


@dataclasses.dataclass(frozen=True)
class Layout:
    name: str
    shards: list
    image_keys: list
    label_classes: dict  # label feature -> number of classes

    @property
    def records(self):
        return sum(shard.records for shard in self.shards)


def find_directories(root):
    """Every prepared directory at or under root: the folders with a dataset_info.json, staging folders left out."""
    root = pathlib.Path(root)
    if (root / "dataset_info.json").is_file():
        return [root]
    found = [path.parent for depth in ("*", "*/*", "*/*/*") for path in root.glob(f"{depth}/dataset_info.json")]
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(root).parts))


def read_layout(directory):
    """The layout of one directory; Failure where it is not TFDS's, or not of TFRecord files."""
    directory = pathlib.Path(directory)
    info = _json(directory / "dataset_info.json")
    file_format = info.get("fileFormat", "tfrecord")
    if file_format != "tfrecord":
        raise Failure(f"{directory} holds {file_format} files; only tfrecord is read here: prepare it again with //data:prepare")
    try:
        name = info["name"]
        shards = [shard for split in info["splits"] for shard in _shards(directory, name, split)]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise Failure(f"{directory}/dataset_info.json is not what TensorFlow Datasets writes ({error!r})") from error
    if not shards:
        raise Failure(f"{directory} has no shards: its dataset_info.json lists no split with records")
    image_keys, label_classes = _features(directory / "features.json")
    return Layout(name, shards, image_keys, label_classes)


def _shards(directory, name, split):
    lengths = [int(length) for length in split.get("shardLengths", [])]
    template = split.get("filepathTemplate") or DEFAULT_TEMPLATE
    for index, records in enumerate(lengths):
        # At least five digits, more when the number of shards has more.
        digits = max(5, len(str(len(lengths))))
        x, y = f"{index:0{digits}d}", f"{len(lengths):0{digits}d}"
        values = {"DATASET": name, "SPLIT": split["name"], "FILEFORMAT": "tfrecord", "SHARD_INDEX": x, "NUM_SHARDS": y}
        values["SHARD_X_OF_Y"] = f"{x}-of-{y}"
        yield Shard(directory / template.format(**values), split["name"], records)


def _features(path):
    if not path.is_file():  # Versions before features.json existed, such as imagenet2012 5.0.0.
        return ["image"], {}
    features = _json(path).get("featuresDict", {}).get("features", {})
    images = [key for key, feature in features.items() if "image" in feature]
    labels = {key: int(feature["classLabel"].get("numClasses", 0)) for key, feature in features.items() if "classLabel" in feature}
    if not images:
        raise Failure(f"{path} names no image feature, only: {', '.join(sorted(features)) or 'nothing'}")
    return images, labels


def _json(path):
    try:
        value = json.loads(path.read_text())
    except FileNotFoundError:
        raise Failure(f"{path} is missing: {path.parent} is not a prepared data set") from None
    except (OSError, ValueError) as error:
        raise Failure(f"{path} cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise Failure(f"{path} holds a {type(value).__name__}, not an object")
    return value

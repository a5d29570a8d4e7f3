"""The command as a user runs it, with TensorFlow Datasets and Apache Beam, killed and damaged on the way."""

import gzip
import json
import os
import pathlib
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

from environment import ensure_environment
from layout import read_layout
from tfrecord import parse_example, read_records

PREPARE = os.path.abspath("data/prepare")
FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")

# Reads a data set back with TFDS alone: {split: {file name: [label, shape, sum of pixels]}}.
READ_BACK = """
import json, sys, tensorflow_datasets as tfds
builder = tfds.builder_from_directory(sys.argv[1])
print(json.dumps({split: {
    example["file_name"].decode(): [int(example.get("label", -2)), list(example["image"].shape), int(example["image"].sum())]
    for example in tfds.as_numpy(builder.as_dataset(split))} for split in builder.info.splits}))
"""


def png(width, height, colour):
    """An RGB PNG of one colour, made without any library of images."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + bytes(colour) * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def examples(directory):
    """(split, features) of every record, shard by shard."""
    for shard in read_layout(directory).shards:
        with open(shard.path, "rb") as file:
            for _, data in read_records(file, shard.path.stat().st_size):
                yield shard.split, parse_example(data)


class Prepare(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.environment = dict(os.environ, BUILD_WORKING_DIRECTORY=str(self.root))

    def start(self, *arguments):
        return subprocess.Popen([PREPARE, *arguments], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_prepare(self, *arguments, code=0):
        process = self.start(*arguments)
        out, err = process.communicate()
        self.assertEqual(process.returncode, code, err)
        self.assertNotIn("Traceback", err)
        return out if code == 0 else err.strip().splitlines()[-1]

    def image(self, name, *picture):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(*picture))

    def pets(self):
        self.image("pets/train/cat/1.png", 5, 4, (10, 0, 0))
        self.image("pets/train/dog/2.png", 3, 7, (0, 20, 0))
        (self.root / "pets/train/dog/3.ppm").write_bytes(b"P6 2 2 255\n" + bytes([1, 2, 3] * 4))
        self.image("pets/test/4.png", 2, 2, (1, 1, 1))
        return {
            "train": {"cat/1.png": [0, [4, 5, 3], 200], "dog/2.png": [1, [7, 3, 3], 420], "dog/3.ppm": [1, [2, 2, 3], 24]},
            "test": {"4.png": [-1, [2, 2, 3], 12]},
        }

    def read_back(self, directory):
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
        command = [ensure_environment(), "-c", READ_BACK, self.root / directory]
        return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.splitlines()[-1])

    def test_folder_damage_and_repetition(self):
        truth = self.pets()
        self.assertIn("4 records, verified", self.run_prepare("--images=pets", "--name=pets", "--data_dir=out"))
        self.assertEqual(self.read_back("out/pets/1.0.0"), truth)
        self.assertIn("already prepared", self.run_prepare("--images=pets", "--name=pets", "--data_dir=out"))
        self.assertIn("is whole: 4 records", self.run_prepare("--verify=out"))
        shard = self.root / "out/pets/1.0.0/pets-train.tfrecord-00000-of-00001"
        data = bytearray(shard.read_bytes())
        data[len(data) // 2] ^= 1
        shard.write_bytes(data)
        self.assertIn("is broken: 1 faults", self.run_prepare("--verify=out", code=1))

    def test_unlabeled_and_broken_images(self):
        self.image("flat/a.png", 2, 2, (1, 0, 0))
        (self.root / "flat/b.png").write_bytes(png(9, 9, (1, 2, 3))[:40])
        said = self.run_prepare("--images=flat", "--name=flat", "--data_dir=out", code=1)
        self.assertIn("flat/b.png is not a whole image", said)
        self.assertFalse((self.root / "out/flat").exists())
        self.run_prepare("--images=flat", "--name=flat", "--data_dir=out", "--skip_broken")
        self.assertEqual(self.read_back("out/flat/1.0.0"), {"train": {"a.png": [-2, [2, 2, 3], 4]}})

    def test_killed_and_started_again(self):
        for number in range(4000):
            self.image(f"many/{number}.png", 40, 40, (number % 251, number % 7, 3))
        process = self.start("--images=many", "--name=many", "--data_dir=out")
        staging = self.root / "out/.preparing/many"
        while process.poll() is None and not list(staging.glob("many/incomplete*")):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assertEqual(process.returncode, -signal.SIGKILL, "it ended before it could be killed")
        self.assertTrue(staging.exists())
        self.assertFalse((self.root / "out/many").exists())
        self.assertIn("4000 records, verified", self.run_prepare("--images=many", "--name=many", "--data_dir=out"))
        self.assertFalse(staging.exists())

    def test_beam_writes_the_same_examples(self):
        self.pets()
        self.run_prepare("--images=pets", "--name=pets", "--data_dir=plain")
        self.run_prepare("--images=pets", "--name=pets", "--data_dir=beam", "--beam_options=direct_num_workers=2")
        # Beam has its own order of records, and protobuf of the entries of a map.
        plain, beam = (
            sorted((split, sorted(example.items())) for split, example in examples(self.root / where / "pets/1.0.0"))
            for where in ("plain", "beam")
        )
        self.assertEqual(len(plain), 4)
        self.assertEqual(plain, beam)

    @unittest.skipUnless(FASHION.is_dir(), "dataset-fashion-mnist is not installed")
    def test_fashion_mnist_has_the_labels_of_its_idx_files(self):
        self.run_prepare("--dataset=fashion_mnist", "--data_dir=out", "--quick")
        counts = {"train": [0] * 10, "test": [0] * 10}
        for split, example in examples(self.root / "out/fashion_mnist/3.0.1"):
            counts[split][example["label"][0]] += 1
        for split, file in (("train", "train"), ("test", "t10k")):
            labels = gzip.open(FASHION / f"{file}-labels-idx1-ubyte.gz").read()[8:]
            self.assertEqual(counts[split], [labels.count(label) for label in range(10)])

    def test_sentences(self):
        self.assertIn("(nearest: cifar10)", self.run_prepare("--dataset=cifar1", "--data_dir=out", code=2))
        self.assertIn("only: 3.0.2", self.run_prepare("--dataset=cifar10:9.9.9", "--data_dir=out", code=2))
        self.assertIn("has no image feature", self.run_prepare("--dataset=imdb_reviews", "--data_dir=out", code=2))
        said = self.run_prepare("--dataset=imagenet2012", "--data_dir=out", code=1)
        self.assertIn("out/downloads/manual/ILSVRC2012_img_train.tar is missing", said)
        manual = self.root / "out/downloads/manual"
        manual.mkdir(parents=True)
        (manual / "ILSVRC2012_img_train.tar").write_bytes(b"begun")
        said = self.run_prepare("--dataset=imagenet2012", "--data_dir=out", code=1)
        self.assertIn("has 5 bytes, the original has 147897477120", said)


if __name__ == "__main__":
    unittest.main()

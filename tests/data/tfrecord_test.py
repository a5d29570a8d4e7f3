"""TFRecord framing, tf.Example parsing and the verification of damaged shards, against vectors known from elsewhere."""

import io
import json
import pathlib
import struct
import tempfile
import unittest

import verify
from failure import Failure, nearest
from layout import read_layout
from tfrecord import RecordError, crc32c, frame, parse_example, read_records


def message(number, payload):
    """A length-delimited protobuf field of fewer than 128 bytes or more, written independently of the parser."""
    size, prefix = len(payload), b""
    while size > 127:
        prefix += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + prefix + bytes([size]) + payload


def example(label, image=b"not looked at", packed=True):
    number = struct.pack("B", label) if label >= 0 else b"\xff" * 9 + b"\x01"
    integers = message(1, number) if packed else b"\x08" + number
    entries = {b"image": message(1, message(1, image)), b"label": message(3, integers)}
    return message(1, b"".join(message(1, message(1, key) + message(2, value)) for key, value in entries.items()))


class Framing(unittest.TestCase):
    def test_crc_of_the_standards(self):
        # RFC 3720, appendix B.4.
        self.assertEqual(crc32c(bytes(32)), 0x8A9136AA)
        self.assertEqual(crc32c(b"\xff" * 32), 0x62A8AB43)
        self.assertEqual(crc32c(bytes(range(32))), 0x46DD794E)
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)

    def test_record_of_one_letter(self):
        # As tf.io.TFRecordWriter writes b"a".
        self.assertEqual(frame(b"a").hex(), "01000000000000000175de4161786ee428")

    def test_every_flipped_bit_is_found(self):
        whole = frame(b"first") + frame(b"second record")
        self.assertEqual([data for _, data in read_records(io.BytesIO(whole), len(whole))], [b"first", b"second record"])
        for bit in range(8 * len(whole)):
            bad = bytearray(whole)
            bad[bit // 8] ^= 1 << bit % 8
            found = [data for _, data in read_records(io.BytesIO(bad), len(bad))]
            self.assertTrue(any(isinstance(data, RecordError) for data in found), f"bit {bit}")

    def test_every_truncation_is_found(self):
        whole = frame(b"first") + frame(b"second record")
        for size in set(range(1, len(whole))) - {len(frame(b"first"))}:
            found = [data for _, data in read_records(io.BytesIO(whole[:size]), size)]
            self.assertIsInstance(found[-1], RecordError, f"cut to {size}")


class Examples(unittest.TestCase):
    def test_bytes_and_integers(self):
        for packed in (True, False):
            self.assertEqual(parse_example(example(7, b"x", packed)), {"image": [b"x"], "label": [7]})
        self.assertEqual(parse_example(example(-1))["label"], [-1])
        self.assertEqual(parse_example(example(1, bytes(1000)))["image"], [bytes(1000)])

    def test_truncated_messages_never_escape_as_other_errors(self):
        whole = example(3, bytes(200))
        for size in range(1, len(whole)):
            try:
                parse_example(whole[:size])
            except ValueError:
                pass


class Verification(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name) / "set"
        self.folder.mkdir()

    def write(self, shards, **info):
        split = {"name": "train", "shardLengths": [str(len(shard)) for shard in shards]}
        split |= {"filepathTemplate": "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"}
        about = {"name": "set", "version": "1.0.0", "fileFormat": "tfrecord", "splits": [split]} | info
        (self.folder / "dataset_info.json").write_text(json.dumps(about))
        features = {"image": {"image": {}}, "label": {"classLabel": {"numClasses": "3"}}}
        (self.folder / "features.json").write_text(json.dumps({"featuresDict": {"features": features}}))
        for index, shard in enumerate(shards):
            self.shard(index, len(shards)).write_bytes(b"".join(map(frame, shard)))

    def shard(self, index, shards):
        return self.folder / f"set-train.tfrecord-{index:05d}-of-{shards:05d}"

    def faults(self):
        return verify.verify_directory(self.folder, decode=False)[0]

    def assert_one_fault(self, *parts):
        faults = self.faults()
        self.assertEqual(len(faults), 1, faults)
        for part in parts:
            self.assertIn(part, faults[0])

    def test_whole(self):
        self.write([[example(0), example(2)], [example(1)]])
        self.assertEqual(verify.verify_directory(self.folder, decode=False), ([], 3))
        self.assertEqual(verify.verify(self.folder.parent, decode=False)[1], 3)

    def test_flipped_bit_names_shard_and_offset(self):
        self.write([[example(0), example(1)], [example(2)]])
        path = self.shard(0, 2)
        data = bytearray(path.read_bytes())
        data[-10] ^= 4
        path.write_bytes(data)
        self.assert_one_fault("set-train.tfrecord-00000-of-00002", f"offset {len(frame(example(0)))}:", "CRC of the record's data")

    def test_missing_record_and_missing_shard(self):
        self.write([[example(0), example(1)]])
        self.shard(0, 1).write_bytes(frame(example(0)))
        self.assert_one_fault("ends after 1 records", "says 2")
        self.shard(0, 1).unlink()
        self.assert_one_fault("cannot be read", "No such file")

    def test_labels(self):
        self.write([[example(0), example(3)]])
        self.assert_one_fault("label 3", "outside 0..2")
        self.write([[example(-1), example(-1)]])
        self.assertEqual(self.faults(), [])
        self.write([[example(-1)], [example(1), example(0)]])
        self.assert_one_fault("1 of 3 labels of split train")

    def test_record_that_is_no_example(self):
        self.write([[b"\x0fnothing"]])
        self.assert_one_fault("not a tf.Example")

    def test_other_file_format(self):
        self.write([[example(0)]], fileFormat="array_record")
        with self.assertRaisesRegex(Failure, "holds array_record files"):
            read_layout(self.folder)


class Names(unittest.TestCase):
    def test_nearest(self):
        self.assertEqual(nearest("cifar1", ["cifar10", "mnist"]), " (nearest: cifar10)")
        self.assertEqual(nearest("qqqq", ["cifar10", "mnist"]), "")


if __name__ == "__main__":
    unittest.main()

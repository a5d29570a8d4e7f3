"""TFRecord framing and tf.Example messages, read without TensorFlow.

A record is: uint64 length | uint32 masked CRC of those 8 bytes | data | uint32 masked CRC of data, little endian.
"""

import struct

try:
    from google_crc32c import value as crc32c
except ImportError:  # Outside the environment that prepare makes: right, but a hundred times slower.

    def _table():
        for byte in range(256):
            for _ in range(8):
                byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
            yield byte

    _TABLE = tuple(_table())

    def crc32c(data):
        crc = 0xFFFFFFFF
        for byte in data:
            crc = (crc >> 8) ^ _TABLE[(crc ^ byte) & 0xFF]
        return crc ^ 0xFFFFFFFF


class RecordError(Exception):
    """A fault in a shard: its offset, what is wrong, and whether the records behind it can still be found."""

    def __init__(self, offset, what, readable_after=False):
        super().__init__(what)
        self.offset = offset
        self.readable_after = readable_after


def masked_crc(data):
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def frame(data):
    """One record as it stands in a file."""
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data))


def read_records(file, size):
    """Yields (offset, data or RecordError) for a binary file of `size` bytes; ends early where the framing is lost."""
    offset = 0
    while offset < size:
        header = file.read(12)
        if len(header) < 12:
            yield offset, RecordError(offset, f"the file ends inside a record's header ({len(header)} of 12 bytes)")
            return
        length, length_crc = struct.unpack("<QI", header)
        if masked_crc(header[:8]) != length_crc:
            yield offset, RecordError(offset, f"the CRC of the record's length is {length_crc:08x}, its bytes give {masked_crc(header[:8]):08x}")
            return
        if offset + 16 + length > size:
            yield offset, RecordError(offset, f"the file ends inside a record ({size - offset} bytes are left of {length + 16})")
            return
        data = file.read(length)
        (data_crc,) = struct.unpack("<I", file.read(4))
        if masked_crc(data) != data_crc:
            fault = f"the CRC of the record's data is {data_crc:08x}, its bytes give {masked_crc(data):08x}"
            yield offset, RecordError(offset, fault, readable_after=True)
        else:
            yield offset, data
        offset += 16 + length


def _varint(data, position):
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, position
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than ten bytes")


def _fields(data):
    """Yields (field number, value) of a protobuf message: an int, or the bytes of whatever else."""
    position = 0
    while position < len(data):
        key, position = _varint(data, position)
        wire = key & 7
        if wire == 0:
            value, position = _varint(data, position)
        elif wire in (1, 2, 5):
            length, position = _varint(data, position) if wire == 2 else ({1: 8, 5: 4}[wire], position)
            if position + length > len(data):
                raise ValueError(f"a field of {length} bytes where {len(data) - position} are left")
            value, position = data[position : position + length], position + length
        else:
            raise ValueError(f"wire type {wire}, which no tf.Example has")
        yield key >> 3, value


def _int64s(data):
    for number, value in _fields(data):
        position = 0
        while number == 1 and isinstance(value, bytes) and position < len(value):
            item, position = _varint(value, position)
            yield item - (1 << 64) if item >> 63 else item
        if number == 1 and isinstance(value, int):
            yield value - (1 << 64) if value >> 63 else value


def parse_example(data):
    """{name: list of bytes or of ints} of a serialized tf.Example; float lists are left out. ValueError if it is none."""
    features = {}
    try:
        for entry in (entry for number, value in _fields(data) if number == 1 for n, entry in _fields(value) if n == 1):
            parts = dict(_fields(entry))
            for kind, values in _fields(parts.get(2, b"")):
                if kind == 1:
                    features[parts[1].decode()] = [value for number, value in _fields(values) if number == 1]
                elif kind == 3:
                    features[parts[1].decode()] = list(_int64s(values))
    except (IndexError, KeyError, TypeError, AttributeError, UnicodeDecodeError) as error:
        raise ValueError("a broken protobuf message") from error
    return features

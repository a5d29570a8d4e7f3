"""Reads and writes safetensors files with NumPy alone.

Layout: 8 bytes little-endian length of the header, a JSON header
{name: {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__": {...}},
then the raw little-endian data that the offsets count from.
"""

import json
import struct

import numpy as np

DTYPES = {
    "F64": np.float64, "F32": np.float32, "F16": np.float16,
    "I64": np.int64, "I32": np.int32, "I16": np.int16, "I8": np.int8,
    "U64": np.uint64, "U32": np.uint32, "U16": np.uint16, "U8": np.uint8,
    "BOOL": np.bool_,
}
DTYPE_NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}


def read(path: str) -> dict[str, np.ndarray]:
    with open(path, "rb") as file:
        (header_bytes,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(header_bytes))
        data = file.read()
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        dtype = np.dtype(DTYPES[entry["dtype"]]).newbyteorder("<")
        expected = dtype.itemsize * int(np.prod(entry["shape"], dtype=np.int64))
        if end - begin != expected or end > len(data):
            raise ValueError(
                f"{path}: {name} {entry['dtype']}{entry['shape']} takes {expected} bytes, its "
                f"offsets give [{begin}, {end}) of {len(data)} bytes of data")
        tensors[name] = np.frombuffer(data[begin:end], dtype).reshape(entry["shape"])
    return tensors


def write(path: str, tensors: dict[str, np.ndarray]) -> None:
    header, offset = {}, 0
    # Not ascontiguousarray: it turns a scalar into a vector of one.
    arrays = {name: np.asarray(value, order="C") for name, value in sorted(tensors.items())}
    for name, array in arrays.items():
        header[name] = {
            "dtype": DTYPE_NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in arrays.values():
            file.write(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())

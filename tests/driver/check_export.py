"""Checks what `export` wrote: check_export.py FOLDER PLATFORM DEVICES.

The official StableHLO parser reads and verifies step.mlir; step.json must agree with it, input by input.
"""

import json
import math
import os
import re
import sys

from jax.interpreters import mlir
from jaxlib.mlir import ir

ROLES = {"online", "target", "momentum", "batch_stats", "predictor", "batch", "scalar", "metric"}


def mlir_type(tensor: dict) -> str:
    name = {"u8": "ui8", "s32": "i32", "u32": "ui32", "pred": "i1"}.get(tensor["dtype"], tensor["dtype"])
    return "tensor<" + "".join(f"{d}x" for d in tensor["shape"]) + name + ">"


def main() -> None:
    folder, platform, devices = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(os.path.join(folder, "step.mlir")) as file:
        text = file.read()
    with open(os.path.join(folder, "step.json")) as file:
        step = json.load(file)
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        assert module.operation.verify()
        main_type = ir.FunctionType(module.body.operations[0].type)
        assert [str(t) for t in main_type.inputs] == [mlir_type(t) for t in step["inputs"]]
        assert [str(t) for t in main_type.results] == [mlir_type(t) for t in step["outputs"]]
    assert {t["role"] for t in step["inputs"] + step["outputs"]} <= ROLES
    donated = [t for t in step["inputs"] if "donated_to" in t]
    state = [t for t in step["inputs"] if t["role"] not in ("batch", "scalar")]
    assert donated == state
    assert all(step["outputs"][t["donated_to"]]["name"] == t["name"] for t in donated)
    assert step["platform"] == platform and step["devices"] == devices
    assert re.search(r'architecture: "tiny"', step["config"])
    assert set(step["cost"]) == {"flops", "bytes_accessed", "optimal_seconds"}
    if platform == "none":
        assert step["memory"] is None and step["compile_seconds"] is None
    else:
        memory = step["memory"]
        assert set(memory) == {"argument_bytes", "output_bytes", "alias_bytes", "temp_bytes", "code_bytes"}
        state_bytes = sum(4 * math.prod(t["shape"]) for t in state)
        # A TPU pads small tensors to its tiles.
        assert memory["alias_bytes"] == state_bytes or (platform == "tpu" and memory["alias_bytes"] > state_bytes)
        assert step["compile_seconds"] > 0


main()

"""Checks what `export` wrote: check_export.py FOLDER PLATFORM DEVICES [EXPORTS ON THE PAGE].

The official StableHLO parser reads and verifies step.mlir; step.json must agree with it, input by input.
"""

import json
import math
import os
import re
import sys

from jax.interpreters import mlir
from jaxlib.mlir import ir

# What every small model of these tests has.
PARTS = {"stem", "stage0", "stage3", "projector", "optimizer"}

ROLES = {"online", "target", "momentum", "batch_stats", "predictor", "batch", "scalar", "metric"}


def mlir_type(tensor: dict) -> str:
    name = {"u8": "ui8", "s32": "i32", "u32": "ui32", "pred": "i1"}.get(tensor["dtype"], tensor["dtype"])
    return "tensor<" + "".join(f"{d}x" for d in tensor["shape"]) + name + ">"


def check_page(folder: str, step: dict, exports: int) -> None:
    """inspect.html needs nothing from elsewhere, and its numbers are inspect.json's, which agree with the compiler's."""
    with open(os.path.join(folder, "inspect.html")) as file:
        page = file.read()
    assert len(page) < 10e6
    assert not re.search(r"(src|href)=\"(?!data:)|url\(|@import|fetch\(|XMLHttpRequest", page)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))
    assert len(data["exports"]) == exports and page.count('type="text/plain"') == exports
    shown = data["exports"][0]
    with open(os.path.join(folder, "inspect.json")) as file:
        assert json.load(file) == shown
    assert {part["part"] for part in shown["parts"]} >= PARTS, shown["parts"]
    assert math.isclose(sum(part["flops"] for part in shown["parts"]), shown["total"]["flops"], rel_tol=1e-9)
    assert math.isclose(sum(cost["bytes"] for cost in shown["scopes"]), shown["total"]["bytes"], rel_tol=1e-9)
    assert shown["instructions"] and sum(cost["flops"] for cost in shown["instructions"]) <= shown["total"]["flops"] * (1 + 1e-9)
    if step["platform"] == "tpu":
        # Ours counts no comparisons and selections, the compiler's no loops.
        assert 0.7 < shown["total"]["flops"] / step["cost"]["flops"] < 1.3, (shown["total"], step["cost"])
        assert 0.7 < shown["total"]["bytes"] / step["cost"]["bytes_accessed"] < 1.3, (shown["total"], step["cost"])
        assert shown["compute_seconds"] > step["cost"]["optimal_seconds"]
        assert shown["collectives"] and all(use["replicas"] == step["devices"] for use in shown["collectives"])
        assert all(use["seconds"] > 0 and use["scope"] for use in shown["collectives"] if use["bytes"])


def main() -> None:
    folder, platform, devices = sys.argv[1], sys.argv[2], int(sys.argv[3])
    exports = int(sys.argv[4]) if len(sys.argv) > 4 else 1
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
    assert re.search(r'batch_size: \d+', step["config"])
    assert set(step["cost"]) == {"flops", "bytes_accessed", "optimal_seconds"}
    if platform == "none":
        assert step["memory"] is None and step["compile_seconds"] is None
    else:
        memory = step["memory"]
        assert set(memory) == {"argument_bytes", "output_bytes", "alias_bytes", "temp_bytes", "code_bytes"}
        state_bytes = sum(4 * math.prod(t["shape"]) for t in state)
        # A TPU pads small tensors to its tiles.
        assert memory["alias_bytes"] == state_bytes or (platform == "tpu" and memory["alias_bytes"] > state_bytes)
        # All that is not updated in place are metrics.
        assert memory["output_bytes"] - memory["alias_bytes"] < 2**16
        assert step["compile_seconds"] > 0
        with open(os.path.join(folder, "step.executable"), "rb") as file:
            assert len(file.read()) == step["executable"]["bytes"]
        assert step["executable"]["plugin"].startswith(platform + " api ")
        check_page(folder, step, exports)


main()

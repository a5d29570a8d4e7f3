"""Reads and verifies step.mlir in each folder with the official parser: check_stablehlo.py FOLDER..."""

import os
import sys

from jax.interpreters import mlir
from jaxlib.mlir import ir

for folder in sys.argv[1:]:
    with open(os.path.join(folder, "step.mlir")) as file:
        text = file.read()
    with mlir.make_ir_context():
        assert ir.Module.parse(text).operation.verify(), folder
print(f"{len(sys.argv) - 1} programs verified")

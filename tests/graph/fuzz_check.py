"""Compares what fuzz_programs wrote with JAX: fuzz_check.py DIRECTORY

Every module must parse and verify with the official StableHLO parser; values
and gradients must agree with the same instructions performed by jax.lax.
"""

import glob
import json
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import mhlo, stablehlo

jax.config.update("jax_enable_x64", True)

DTYPES = {"f32": np.float32, "f64": np.float64, "s32": np.int32}
# Errors are relative to the largest number of a tensor. Ten ops in a row, and
# another compiler's libm and order of summation.
TOLERANCE = {"f32": 3e-4, "f64": 1e-10, "s32": 0}


def dot_general(i, x, y):
  return lax.dot_general(
      x, y, ((i["lhs_contract"], i["rhs_contract"]),
             (i["lhs_batch"], i["rhs_batch"])), precision="highest")


def conv(i, x, kernel):
  return lax.conv_general_dilated(
      x, kernel, i["strides"], i["padding"], i["lhs_dilation"],
      i["rhs_dilation"], ("NHWC", "HWIO", "NHWC"),
      feature_group_count=int(i["groups"]), precision="highest")


def window(init, combine):
  return lambda i, x: lax.reduce_window(
      x, x.dtype.type(init), combine, i["window"], i["strides"], i["padding"])


def rows(i, x):
  return (slice(None),) * i["axis"] + (np.array(i["indices"]),)


def iota(i):
  dtype = DTYPES[i["dtype"]]
  if not i["dims"]:
    return jnp.ones((), dtype)
  return lax.broadcasted_iota(dtype, i["dims"], len(i["dims"]) - 1)


OPS = {
    "abs": lambda i, x: jnp.abs(x),
    "ceil": lambda i, x: jnp.ceil(x),
    "cosine": lambda i, x: jnp.cos(x),
    "exp": lambda i, x: jnp.exp(x),
    "expm1": lambda i, x: jnp.expm1(x),
    "floor": lambda i, x: jnp.floor(x),
    "log": lambda i, x: jnp.log(x),
    "log1p": lambda i, x: jnp.log1p(x),
    "logistic": lambda i, x: lax.logistic(x),
    "negate": lambda i, x: -x,
    "round": lambda i, x: jnp.round(x),
    "rsqrt": lambda i, x: lax.rsqrt(x),
    "sign": lambda i, x: jnp.sign(x),
    "sine": lambda i, x: jnp.sin(x),
    "sqrt": lambda i, x: jnp.sqrt(x),
    "tanh": lambda i, x: jnp.tanh(x),
    "affine": lambda i, x: x * i["factor"] + i["offset"],
    "add": lambda i, x, y: x + y,
    "subtract": lambda i, x, y: x - y,
    "multiply": lambda i, x, y: x * y,
    "divide": lambda i, x, y: x / y,
    "maximum": lambda i, x, y: jnp.maximum(x, y),
    "minimum": lambda i, x, y: jnp.minimum(x, y),
    "power": lambda i, x, y: x**y,
    "atan2": lambda i, x, y: jnp.arctan2(x, y),
    "and": lambda i, x, y: x & y,
    "or": lambda i, x, y: x | y,
    "xor": lambda i, x, y: x ^ y,
    "not": lambda i, x: ~x,
    "shift_right": lambda i, x: x >> 1,
    "iota": iota,
    "convert": lambda i, x: x.astype(DTYPES[i["dtype"]]),
    "select_gt": lambda i, c, x, y: jnp.where(c > i["threshold"], x, y),
    "clamp": lambda i, x: lax.clamp(x.dtype.type(-0.4321), x,
                                    x.dtype.type(0.5432)),
    "reduce_sum": lambda i, x: jnp.sum(x, tuple(i["axes"])),
    "reduce_max": lambda i, x: jnp.max(x, tuple(i["axes"])),
    "reduce_min": lambda i, x: jnp.min(x, tuple(i["axes"])),
    "reshape": lambda i, x: x.reshape(i["dims"]),
    "transpose": lambda i, x: x.transpose(i["permutation"]),
    "reverse": lambda i, x: lax.rev(x, i["axes"]),
    "slice": lambda i, x: lax.slice(x, i["start"], i["limit"], i["strides"]),
    "pad": lambda i, x: lax.pad(
        x, x.dtype.type(0.25), list(zip(i["low"], i["high"], i["interior"]))),
    "concatenate": lambda i, *x: jnp.concatenate(x, int(i["axis"])),
    "broadcast_in_dim": lambda i, x: lax.broadcast_in_dim(
        x, i["dims"], i["axes"]),
    "dynamic_slice": lambda i, x: lax.dynamic_slice(
        x, [min(max(s, 0), d - n)
            for s, d, n in zip(i["starts"], x.shape, i["sizes"])], i["sizes"]),
    "dynamic_update_slice": lambda i, x, y: lax.dynamic_update_slice(
        x, y, [min(max(s, 0), d - n)
               for s, d, n in zip(i["starts"], x.shape, i["sizes"])]),
    "take": lambda i, x: x[rows(i, x)],
    "scatter_add": lambda i, x, y: x.at[rows(i, x)].add(y),
    "window_sum": window(0, lax.add),
    "window_max": window(-np.inf, lax.max),
    "dot_general": dot_general,
    "conv": conv,
    "stop_gradient": lambda i, x: lax.stop_gradient(x),
    "barrier": lambda i, x: lax.optimization_barrier(x),
}


def perform(program, inputs):
  values = list(inputs)
  for i in program["instructions"]:
    values.append(OPS[i["op"]](i, *(values[k] for k in i["in"])))
  return values


def outputs_of(program, inputs):
  """The value, the loss and its gradients, as fuzz_programs orders them."""
  floats = [n for n, x in enumerate(program["inputs"]) if x["dtype"] != "s32"]

  def loss(variables):
    full = list(inputs)
    for n, variable in zip(floats, variables):
      full[n] = variable
    values = perform(program, full)
    total = sum(jnp.sum(jnp.sin(values[k])) for k in program["losses"])
    return total, values[program["value"]]

  (total, value), gradients = jax.value_and_grad(loss, has_aux=True)(
      [inputs[n] for n in floats])
  return [value, total, *gradients]


def tensor(record):
  return np.array(record["data"], dtype=np.float64).astype(
      DTYPES[record["dtype"]]).reshape(record["dims"])


def verify(path):
  with ir.Context() as context:
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)  # func
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    stablehlo.register_dialect(context)
    mhlo.register_mhlo_dialect(context)  # the module's attributes
    with open(path) as file:
      assert ir.Module.parse(file.read()).operation.verify(), path


def check(path):
  with open(path) as file:
    programs = json.load(file)
  inputs = [[tensor(x) for x in program["inputs"]] for program in programs]
  function = jax.jit(lambda all_inputs: [
      outputs_of(p, x) for p, x in zip(programs, all_inputs)])
  compiled = function.lower(inputs).compile(
      {"xla_backend_optimization_level": 0,
       "xla_llvm_disable_expensive_passes": True})
  wrong = 0
  for number, (program, expected) in enumerate(
      zip(programs, compiled(inputs))):
    for record, want in zip(program["outputs"], expected, strict=True):
      want = np.asarray(want)
      got = tensor(record)
      scale = 1 + np.max(np.abs(want), initial=0)
      error = np.max(np.abs(got - want) / scale, initial=0)
      if (got.shape != want.shape or got.dtype != want.dtype or
          not error <= TOLERANCE[record["dtype"]]):
        wrong += 1
        print(f"{path}: program {number}: {got.dtype}{got.shape} against "
              f"{want.dtype}{want.shape}, error {error}\n"
              f"  {json.dumps(program['instructions'])}", file=sys.stderr)
        break
  return len(programs), wrong


def main():
  total = wrong = 0
  for path in sorted(glob.glob(f"{sys.argv[1]}/batch_*.mlir")):
    verify(path)
    count, bad = check(path.replace(".mlir", ".json"))
    total, wrong = total + count, wrong + bad
  print(f"{total} programs, {wrong} disagree with JAX")
  sys.exit(0 if total > 0 and wrong == 0 else 1)


if __name__ == "__main__":
  main()

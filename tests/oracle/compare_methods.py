"""Compares losses of methods and their gradients with JAX in f64:

    compare_methods.py FILE

FILE is what tests/methods/method_cases.cc writes. Losses and gradients agree to 1e-5 of their own size.
"""

import sys
from collections import defaultdict

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import byol_jax
import methods
import safetensors_io
from config import Method

jax.config.update("jax_enable_x64", True)
BOUND = 1e-5


def byol(options, z1, z2, matrix):
    del options
    t1, t2 = lax.stop_gradient(z1), lax.stop_gradient(z2)
    return jnp.mean(byol_jax.distance(z1 @ matrix, t2) + byol_jax.distance(z2 @ matrix, t1))


def standardized(loss):
    return lambda options, z1, z2, *rest: loss(options, methods.standardize(z1), methods.standardize(z2), *rest)


def without_matrix(loss):
    return lambda options, z1, z2, matrix: loss(options, z1, z2)


CASES = {
    "byol": (byol, lambda d: Method()),
    "simsiam": (byol, lambda d: Method()),
    "barlow_twins": (without_matrix(standardized(methods.barlow_twins)), lambda d: Method(off_diagonal_weight=0.0051)),
    "vicreg": (without_matrix(methods.vicreg),
               lambda d: Method(invariance_weight=25, variance_weight=25, covariance_weight=1)),
    "liu_1": (standardized(methods.liu), lambda d: Method(invariance_weight=1, covariance_weight=1)),
    "liu_4": (standardized(methods.liu), lambda d: Method(invariance_weight=25, covariance_weight=1, partitions=4)),
    "eigenmap": (without_matrix(methods.eigenmap), lambda d: Method(off_diagonal_weight=20.48 / d)),
    "eigenmap_ordered": (without_matrix(methods.eigenmap), lambda d: Method(off_diagonal_weight=20.48 / d, ordered=True)),
}


def main() -> int:
    cases = defaultdict(dict)
    for name, value in safetensors_io.read(sys.argv[1]).items():
        case, _, tensor = name.rpartition("/")
        cases[case][tensor] = value.astype(np.float64)
    problems = []
    for name, case in cases.items():
        loss, options = CASES[name.split("/")[0]]
        arguments = case["z1"], case["z2"], case["matrix"]
        value, gradients = jax.value_and_grad(
            lambda *a: loss(options(case["z1"].shape[1]), *a), (0, 1, 2))(*arguments)
        expected = {"loss": value, "gradient1": gradients[0], "gradient2": gradients[1],
                    "matrix_gradient": gradients[2]}
        worst = 0.0
        for tensor, truth in expected.items():
            truth = np.asarray(truth)
            error = np.linalg.norm(np.ravel(case[tensor] - truth)) / max(np.linalg.norm(np.ravel(truth)), 1e-12)
            worst = max(worst, error)
            if not error <= BOUND:
                problems.append(f"{name}: {tensor} differs by {error:.2g} of its size")
        print(f"{name}: worst {worst:.2g}")
    for problem in problems:
        print("FAILED", problem)
    print(f"{len(cases)} cases, {len(problems)} problems")
    return 1 if problems or {name.split("/")[0] for name in cases} != set(CASES) else 0


if __name__ == "__main__":
    sys.exit(main())

"""The closed-form predictors of "The Edge of Orthogonality", after its appendix B.

Each is one function: of the covariance S = Z^T Z (OF_COVARIANCE), or of the latents Z, Z' (OF_LATENTS).
They use SVD and eigendecomposition freely: they are the truth, not the program that a TPU runs.
"""

import jax
import jax.numpy as jnp

from config import Predictor


def newton_schulz_pair(m: jax.Array, iterations: int) -> tuple[jax.Array, jax.Array]:
    """Approximations of m^(1/2) and m^(-1/2)."""
    norm = jnp.linalg.norm(m, "fro")
    a = m / norm
    b = jnp.eye(m.shape[0], dtype=m.dtype)
    c = 3.0 * b
    for _ in range(iterations):
        ba = b @ a
        a, b = 0.5 * a @ (c - ba), 0.5 * (c - ba) @ b
    return a * jnp.sqrt(norm), b / jnp.sqrt(norm)


def newton_schulz(s: jax.Array, options: Predictor) -> jax.Array:
    return newton_schulz_pair(s, options.iterations)[0]


def ns2(s: jax.Array, options: Predictor) -> jax.Array:
    return newton_schulz(newton_schulz(s, options), options)


def visser(s: jax.Array, options: Predictor) -> jax.Array:
    eta = options.visser_step
    start = jnp.eye(s.shape[0], dtype=s.dtype) / (2.0 * eta)
    return jax.lax.fori_loop(0, options.iterations, lambda _, p: p + eta * (s - p @ p), start)


def stiefel(s: jax.Array, options: Predictor) -> jax.Array:
    gram = s.T @ s
    if options.stiefel_divide:
        gram = gram / s.shape[0]
    inverse_root = newton_schulz_pair(gram, options.iterations)[1]
    return inverse_root / jnp.linalg.norm(inverse_root, "fro") @ s.T


def directpred(s: jax.Array, options: Predictor) -> jax.Array:
    values, vectors = jnp.linalg.eigh((s + s.T) / 2)
    values = jnp.maximum(values, 0.0)
    if options.directpred_relative:
        values = values / jnp.max(values)
    roots = jnp.maximum(jnp.sqrt(values) + options.directpred_epsilon, options.directpred_floor)
    return (vectors * roots) @ vectors.T


def directcopy(s: jax.Array, options: Predictor) -> jax.Array:
    del options
    return s


def directcopy_normalized(s: jax.Array, options: Predictor) -> jax.Array:
    del options
    return s / jnp.linalg.norm(s, 2)


def lrp(z: jax.Array, t: jax.Array, options: Predictor) -> jax.Array:
    norm = 0.5 * jnp.linalg.norm(z, "fro") + 0.5 * jnp.linalg.norm(t, "fro") + 1e-12
    return jnp.linalg.pinv(z / norm, rtol=options.lrp_rcond) @ (t / norm)


def ne(z: jax.Array, t: jax.Array, options: Predictor) -> jax.Array:
    del options
    z = z / jnp.linalg.norm(z, 2)
    t = t / jnp.linalg.norm(t, 2)
    zt = z.T @ t
    p = 2.0 * zt - z.T @ (z @ zt)  # the paper's listing says zttxt where it must mean zttzx
    return p / jnp.linalg.norm(p, 2)


OF_COVARIANCE = {
    "newton_schulz": newton_schulz,
    "ns2": ns2,
    "visser": visser,
    "stiefel": stiefel,
    "directpred": directpred,
    "directcopy": directcopy,
    "directcopy_normalized": directcopy_normalized,
}
OF_LATENTS = {"lrp": lrp, "lrp2": lrp, "ne": ne}


def covariance(z: jax.Array, options: Predictor) -> jax.Array:
    s = z.T @ z
    return s / z.shape[0] if options.normalize_covariance else s


def grouped(z: jax.Array, t: jax.Array, options: Predictor) -> jax.Array:
    """The mean of the formula over groups of images; rows are view 1 of all images, then view 2 if both count."""
    views = 2 if options.both_views else 1
    images = z.shape[0] // views
    results = []
    for first in range(0, images, options.covariance_images):
        rows = [view * images + i for view in range(views) for i in range(first, first + options.covariance_images)]
        part_z, part_t = z[jnp.array(rows)], t[jnp.array(rows)]
        if options.kind in OF_LATENTS:
            results.append(OF_LATENTS[options.kind](part_z, part_t, options))
        else:
            results.append(OF_COVARIANCE[options.kind](covariance(part_z, options), options))
    return sum(results) / len(results)


def next_predictor(state: dict[str, jax.Array], z: jax.Array, t: jax.Array, rho: jax.Array,
                   options: Predictor) -> dict[str, jax.Array]:
    """The new predictor/... tensors, given the batch's online latents z and target latents t."""
    def average(old: jax.Array, new: jax.Array) -> jax.Array:
        return rho * old + (1.0 - rho) * new

    ridge = options.ridge * jnp.eye(z.shape[1], dtype=z.dtype)
    if options.covariance_images:
        return {"predictor/P": average(state["predictor/P"], grouped(z, t, options) + ridge)}
    if options.kind in OF_LATENTS:
        formula = OF_LATENTS[options.kind](z, t, options)
        return {"predictor/P": average(state["predictor/P"], formula + ridge)}
    formula_of = OF_COVARIANCE[options.kind]
    s = covariance(z, options)
    if options.ema_of == "covariance":
        s = average(state["predictor/covariance"], s)
        return {"predictor/covariance": s, "predictor/P": formula_of(s, options) + ridge}
    return {"predictor/P": average(state["predictor/P"], formula_of(s, options) + ridge)}

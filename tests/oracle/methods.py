"""Losses of the methods besides BYOL and SimSiam, of the global batch's projections z1, z2 [N, d].

Written from the formulas of the papers with NumPy's own functions where there are any (covariances, standard
deviations, triangles), so that a mistake in the C++ builder's sums is not made again here.
"""

import jax
import jax.numpy as jnp
from jax import lax

STANDARDIZED = ("barlow_twins", "liu")


def standardize(z: jax.Array) -> jax.Array:
    return (z - jnp.mean(z, 0)) / jnp.sqrt(jnp.var(z, 0) + 1e-5)


def off_diagonal(m: jax.Array) -> jax.Array:
    return m - jnp.diag(jnp.diag(m))


def barlow_twins(options, z1: jax.Array, z2: jax.Array) -> jax.Array:
    c = z1.T @ z2 / len(z1)
    return (jnp.sum(jnp.square(jnp.diag(c) - 1.0))
            + options.off_diagonal_weight * jnp.sum(jnp.square(off_diagonal(c))))


def vicreg(options, z1: jax.Array, z2: jax.Array) -> jax.Array:
    d = z1.shape[1]
    invariance = jnp.mean(jnp.square(z1 - z2))
    variance = sum(jnp.mean(jax.nn.relu(1.0 - jnp.sqrt(jnp.var(z, 0, ddof=1) + 1e-4))) / 2 for z in (z1, z2))
    covariance = sum(jnp.sum(jnp.square(off_diagonal(jnp.cov(z, rowvar=False)))) / d for z in (z1, z2))
    return (options.invariance_weight * invariance + options.variance_weight * variance
            + options.covariance_weight * covariance)


def liu(options, f1: jax.Array, f2: jax.Array, matrix: jax.Array) -> jax.Array:
    """f1, f2 standardized; `matrix` maps rows, so the paper's W is its transpose."""
    w = matrix.T

    def direction(f: jax.Array, other: jax.Array) -> jax.Array:
        n, d = f.shape
        invariance = jnp.mean(jnp.sum(jnp.square((w @ f.T).T - other), 1))
        parts = [p.T / jnp.sqrt(len(p)) for p in jnp.split(f, options.partitions)]
        decorrelation = sum(jnp.linalg.norm(w.T @ w - w @ p @ p.T @ w.T) ** 2 for p in parts) / d
        return options.invariance_weight * invariance + options.covariance_weight * decorrelation

    return direction(f1, f2) + direction(f2, f1)


def eigenmap(options, z1: jax.Array, z2: jax.Array) -> jax.Array:
    k = z1.shape[1]
    norms = jnp.maximum(jnp.linalg.norm(jnp.concatenate([z1, z2]), axis=0), 1e-6)
    p1, p2 = (z * jnp.sqrt(2.0 * options.scale) / norms for z in (z1, z2))
    r = p1.T @ p2
    loss = -2.0 / k * jnp.trace(r)
    if options.ordered:
        first, second = lax.stop_gradient(p2).T @ p1, lax.stop_gradient(p1).T @ p2
    else:
        first, second = r, r.T
    upper = sum(jnp.sum(jnp.square(jnp.triu(m, 1))) for m in (first, second))
    return loss + options.off_diagonal_weight / k * upper

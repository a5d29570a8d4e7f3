"""Runs BYOL steps on given numbers:

    run_step.py IN.safetensors CONFIG.json OUT.safetensors [IN CONFIG OUT]...
    run_step.py --self_check

IN holds the state (byol_jax.py names it), and for step k = 0, 1, ...
    batch/<k>/view1, batch/<k>/view2    uint8 [b, h, w, c]
    batch/<k>/labels                    s32 [b], -1: none (may be absent: no labels)
    batch/<k>/draws1, batch/<k>/draws2  f32 [b, 13], with augmentation
    batch/<k>/pixels1, batch/<k>/pixels2    f32 [b, h, w, c], with augmentation: what another program made of views
        and draws. Optional; they are checked to be ours to rounding, and then taken instead.
    scalar/<k>/learning_rate, tau, rho, bn_rate1, bn_rate2    f32 []
    scalar/<k>/predictor_learning_rate, predictor_set, first_moment_rate, second_moment_rate    where used
Without <k>/ (batch/view1, scalar/tau) a tensor serves every step that has none of its own. A scalar that
the configuration does not use (rho without a closed form, tau without a target) may be absent.

Several cases in one call share what JAX has compiled, and that is most of the time.

CONFIG is described in config.py. OUT gets the state after the last step under the same names, and
metric/<k>/{loss,probe_loss,probe_accuracy,grad_norm}; with "dump" also debug/<k>/{h1,z1,z2,t1,t2,p1,p2}
and debug/<k>/gradient/<path>. All of OUT is f32.
A missing, unexpected or misshapen tensor is an error that names it.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np

import augment_numpy
import byol_jax
import config as config_lib
import safetensors_io
from config import Config

PIXEL_ROUNDING = 1e-5
BATCH_PREFIXES = ("batch/", "scalar/")
# A bias before batch norm does not change the loss: its gradient is rounding noise around zero, so it has
# no norm that a difference could be compared with.
INVISIBLE_BIASES = ("projector/dense1/b", "predictor/dense1/b", "projector/dense2/b",
                    # Its input has mean 0 where the projector ends in a norm.
                    "predictor/norm/mean")


def run(config: Config, tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    jax.config.update("jax_enable_x64", config.x64)
    dtype = jnp.float64 if config.x64 else jnp.float32
    check_names(config, tensors)
    state = {name: jnp.array(value, dtype) for name, value in tensors.items()
             if not name.startswith(BATCH_PREFIXES)}
    out = {}
    for k in range(config.steps):
        view1, view2 = (view(config, tensors, k, number) for number in (1, 2))
        labels = batch(tensors, k, "labels", default=np.full(len(view1), -1, np.int32))
        scalars = {name: jnp.asarray(scalar(config, tensors, k, name), dtype) for name in byol_jax.SCALARS + byol_jax.OPTIONAL_SCALARS}
        state, metrics, debug = byol_jax.train_step(config, state, view1, view2, labels, scalars)
        out |= {f"metric/{k}/{name}": value for name, value in metrics.items()}
        if config.dump:
            out |= {f"debug/{k}/{name}": value for name, value in debug.items()}
    return {name: np.asarray(value, np.float32) for name, value in (out | state).items()}


def check_names(config: Config, tensors: dict[str, np.ndarray]) -> None:
    expected = byol_jax.state_shapes(config)
    given = {name: value.shape for name, value in tensors.items() if not name.startswith(BATCH_PREFIXES)}
    problems = [f"missing {name} {list(shape)}" for name, shape in expected.items() if name not in given]
    problems += [f"unexpected {name} {list(shape)}" for name, shape in given.items() if name not in expected]
    problems += [f"{name} has shape {list(given[name])}, not {list(shape)}"
                 for name, shape in expected.items() if name in given and given[name] != tuple(shape)]
    if problems:
        raise ValueError(f"the state does not fit the configuration: {'; '.join(problems)}")


def lookup(tensors: dict[str, np.ndarray], kind: str, k: int, name: str) -> np.ndarray | None:
    return tensors.get(f"{kind}/{k}/{name}", tensors.get(f"{kind}/{name}"))


def batch(tensors: dict[str, np.ndarray], k: int, name: str, default=None) -> np.ndarray:
    value = lookup(tensors, "batch", k, name)
    value = default if value is None else value
    if value is None:
        raise ValueError(f"step {k} has no batch/{k}/{name}")
    wanted = {"labels": np.int32, "draws1": np.float32, "draws2": np.float32}.get(name, np.uint8)
    if value.dtype != wanted:
        raise ValueError(f"batch/{k}/{name} is {value.dtype}, not {np.dtype(wanted)}")
    return value


def view(config: Config, tensors: dict[str, np.ndarray], k: int, number: int) -> np.ndarray:
    """Pixels: uint8 in [0,255], or floats in [0,1] when augmented."""
    pixels = batch(tensors, k, f"view{number}")
    if not config.augmentation:
        return pixels
    augmented = augment_numpy.augment_batch(pixels, batch(tensors, k, f"draws{number}"))
    given = lookup(tensors, "batch", k, f"pixels{number}")
    if given is None:
        return augmented
    difference = np.max(np.abs(given - augmented))
    # Some ten f32 operations on numbers below 1; hue and contrast make more of their rounding.
    if not difference < PIXEL_ROUNDING:
        raise ValueError(f"batch/{k}/pixels{number} differ by {difference:.3g}, more than {PIXEL_ROUNDING}")
    return given


def needed_scalars(config: Config) -> set[str]:
    needed = set()
    if config.constant_predictor_rate:
        needed.add("predictor_learning_rate")
    if config.predictor.train_between:
        needed.add("predictor_set")
    if config.optimizer == "adamw":
        needed |= {"first_moment_rate", "second_moment_rate"}
    return needed


def scalar(config: Config, tensors: dict[str, np.ndarray], k: int, name: str) -> np.ndarray:
    value = lookup(tensors, "scalar", k, name)
    if value is not None:
        return value.reshape(())
    if (name == "rho" and not config.closed_form) or (name == "tau" and config.target == "none"):
        return np.zeros((), np.float32)
    if name in byol_jax.OPTIONAL_SCALARS and name not in needed_scalars(config):
        return np.zeros((), np.float32)
    raise ValueError(f"step {k} has no scalar/{k}/{name}")


def self_check() -> None:
    """A few steps of a tiny network in f32 and in f64 agree, and the loss falls."""
    rng = np.random.default_rng(0)
    values = {"architecture": "tiny", "stem": "small", "projector_hidden": 32, "projector_out": 16,
              "classes": 10, "steps": 3, "trust_coefficient": 0.02,
              "predictor": {"kind": "newton_schulz", "ridge": 0.5, "normalize_covariance": True}}
    tensors = byol_jax.init_state(config_lib.from_dict(values), seed=1)
    image = rng.integers(0, 256, (16, 16, 16, 3), dtype=np.uint8)
    tensors |= {"batch/view1": image, "batch/view2": image[:, :, ::-1],
                "batch/labels": rng.integers(-1, 10, 16, dtype=np.int32)}
    scalars = {"learning_rate": 0.5, "tau": 0.99, "rho": 0.9}
    tensors |= {f"scalar/{name}": np.float32(value) for name, value in scalars.items()}
    for k in range(3):
        for view in (1, 2):
            rate = 0.1 / (1.0 - 0.9 ** (2 * k + view))
            tensors[f"scalar/{k}/bn_rate{view}"] = np.float32(rate)
    single = run(config_lib.from_dict(values), tensors)
    double = run(config_lib.from_dict(values | {"x64": True}), tensors)
    differences = {name: np.linalg.norm(single[name] - double[name]) / np.linalg.norm(double[name])
                   for name in double if not name.endswith(INVISIBLE_BIASES)}
    worst = max(differences, key=differences.get)
    losses = [float(double[f"metric/{k}/loss"]) for k in range(3)]
    print(f"self check: losses {losses}, f32 and f64 differ by {differences[worst]:.2e} ({worst})")
    # Three steps of f32 rounding (6e-8 each operation) through some ten layers.
    if differences[worst] > 1e-3 or not losses[2] < losses[0]:
        sys.exit("self check: failed")


def main(arguments: list[str]) -> None:
    if arguments == ["--self_check"]:
        return self_check()
    if not arguments or len(arguments) % 3:
        sys.exit(__doc__)
    for source, config_path, destination in zip(arguments[::3], arguments[1::3], arguments[2::3]):
        try:
            result = run(config_lib.read(config_path), safetensors_io.read(source))
        except (ValueError, TypeError, OSError) as error:
            sys.exit(f"run_step: {source} with {config_path}: {error}")
        safetensors_io.write(destination, result)


if __name__ == "__main__":
    main(sys.argv[1:])

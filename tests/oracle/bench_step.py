"""Times the BYOL step as JAX does it naturally: the whole step under one jax.jit, convolutions by
lax.conv_general_dilated in NHWC, each view by itself as in the reference, the state donated, f32 on CPU.
Prints one JSON line; one image is two views."""

import argparse
import json
import statistics
import time

import jax
import jax.numpy as jnp
import numpy as np

import byol_jax
import config as config_lib
import safetensors_io


def sizes_of(tensors: dict[str, np.ndarray]) -> dict[str, int]:
    """Those of the network whose parameters these are."""
    if not tensors:
        return {}
    output = {name: tensors[f"online/{name}/w"].shape[-1]
              for name in ("resnet/stem/conv", "projector/dense1", "projector/dense2")}
    return {"base_channels": output["resnet/stem/conv"], "projector_hidden": output["projector/dense1"],
            "projector_out": output["projector/dense2"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--architecture", default="resnet50")
    parser.add_argument("--stem", default="imagenet")
    parser.add_argument("--padding", default="same")
    parser.add_argument("--predictor", default="newton_schulz")
    parser.add_argument("--image_size", type=int, default=224)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--inputs", help="what `bench --write_inputs` wrote, in place of random numbers and --batch")
    parser.add_argument("--steps", type=int, default=3, help="timed steps, after one that warms up")
    flags = parser.parse_args()

    tensors = safetensors_io.read(flags.inputs) if flags.inputs else {}
    config = config_lib.from_dict({
        "architecture": flags.architecture, "stem": flags.stem, "padding": flags.padding,
        "predictor": {"kind": flags.predictor}} | sizes_of(tensors))
    rng = np.random.default_rng(0)
    shape = (flags.batch, flags.image_size, flags.image_size, config.channels)
    view1, view2 = (jnp.array(rng.integers(0, 256, shape, dtype=np.uint8)) for _ in range(2))
    labels = jnp.array(rng.integers(0, config.classes, flags.batch, dtype=np.int32))
    values = {"learning_rate": 0.1, "tau": 0.99, "rho": 0.99, "bn_rate1": 0.1, "bn_rate2": 0.1}
    scalars = {name: jnp.float32(value) for name, value in values.items()}
    numbers = byol_jax.init_state(config, 0)
    if flags.inputs:
        view1, view2, labels = (jnp.array(tensors[f"batch/{name}"]) for name in ("view1", "view2", "labels"))
        scalars = {name: jnp.float32(tensors[f"scalar/{name}"]) for name in values}
        numbers = {name: tensors[name] for name in numbers}
        flags.batch = len(labels)
    state = {name: jnp.array(value) for name, value in numbers.items()}

    def step(state, view1, view2, labels, scalars):
        # The third result, for debugging, must not keep gradients alive.
        return byol_jax.train_step(config, state, view1, view2, labels, scalars)[:2]

    start = time.perf_counter()
    executable = jax.jit(step, donate_argnums=0).lower(state, view1, view2, labels, scalars).compile()
    compile_s = time.perf_counter() - start

    # CPU seconds too: on a machine shared with others they say more than the clock.
    times, cpu_times, losses = [], [], []
    for _ in range(flags.steps + 1):
        start, cpu_start = time.perf_counter(), time.process_time()
        state, metrics = jax.block_until_ready(executable(state, view1, view2, labels, scalars))
        times.append(time.perf_counter() - start)
        cpu_times.append(time.process_time() - cpu_start)
        losses.append(float(metrics["loss"]))
    step_s = statistics.median(times[1:])
    memory = executable.memory_analysis()
    print(json.dumps({
        "images_per_s": round(flags.batch / step_s, 4), "step_s": round(step_s, 4),
        "fastest_step_s": round(min(times[1:]), 4), "compile_s": round(compile_s, 2),
        "step_cpu_s": round(statistics.median(cpu_times[1:]), 4),
        "devices": 1, "batch": flags.batch, "image_size": flags.image_size,
        "temp_bytes": getattr(memory, "temp_size_in_bytes", None), "loss": losses[0],
        "config": f"jax {jax.__version__} {flags.architecture} {flags.predictor}"}))


if __name__ == "__main__":
    main()

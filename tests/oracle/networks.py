"""ResNets and heads as plain functions of a flat {path: array} dictionary.

Images are NHWC, conv kernels HWIO, dense kernels [in, out]. Every network runs in training mode: each
batch norm uses the statistics of the batch it is given, and the network returns them by path.
The parts are compiled one by one, not the whole: views, networks and equal blocks share them, and XLA
needs seconds where it would need minutes.
"""

from functools import partial
from typing import Callable, Iterator, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from config import ARCHITECTURES, Config

Params = dict[str, jax.Array]
Statistics = dict[str, jax.Array]

BATCH_NORM_EPSILON = 1e-5


class Conv(NamedTuple):
    """One convolution of a block: its path in the block, kernel size, stride and channels."""
    name: str
    size: int
    stride: int
    channels_in: int
    channels_out: int


class Block(NamedTuple):
    path: str
    convs: tuple[Conv, ...]
    shortcut: Conv | None


def blocks(config: Config) -> Iterator[Block]:
    counts, bottleneck = ARCHITECTURES[config.architecture]
    channels = config.base * config.width_multiplier  # out of the stem
    for stage, count in enumerate(counts):
        inner = config.base * config.width_multiplier * 2**stage
        outer = 4 * inner if bottleneck else inner
        for i in range(count):
            stride = 2 if stage > 0 and i == 0 else 1
            if bottleneck:
                convs = (Conv("conv1", 1, 1, channels, inner),
                         Conv("conv2", 3, stride, inner, inner),
                         Conv("conv3", 1, 1, inner, outer))
            else:
                convs = (Conv("conv1", 3, stride, channels, inner),
                         Conv("conv2", 3, 1, inner, outer))
            changes = stride != 1 or channels != outer
            project = i == 0 if config.padding == "same" else changes
            shortcut = Conv("shortcut/conv", 1, stride, channels, outer) if project else None
            yield Block(f"resnet/stage{stage}/block{i}", convs, shortcut)
            channels = outer


def subtree(tensors: Params, prefix: str, strip: bool = True) -> Params:
    """The tensors under a prefix, by default named without it."""
    start = len(prefix) if strip else 0
    return {name[start:]: value for name, value in tensors.items() if name.startswith(prefix)}


def feature_size(config: Config) -> int:
    bottleneck = ARCHITECTURES[config.architecture][1]
    return config.base * config.width_multiplier * 8 * (4 if bottleneck else 1)


def conv(padding: str, w: jax.Array, x: jax.Array, stride: int) -> jax.Array:
    low = (w.shape[0] - 1) // 2
    pads = "SAME" if padding == "same" else ((low, low), (low, low))
    return lax.conv_general_dilated(x, w, (stride, stride), pads,
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def max_pool(padding: str, x: jax.Array) -> jax.Array:
    pads = "SAME" if padding == "same" else ((0, 0), (1, 1), (1, 1), (0, 0))
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), pads)


def batch_norm(params: Params, path: str, x: jax.Array, statistics: Statistics) -> jax.Array:
    axes = tuple(range(x.ndim - 1))
    mean = jnp.mean(x, axes)
    var = jnp.mean(jnp.square(x), axes) - jnp.square(mean)
    statistics[f"{path}/mean"], statistics[f"{path}/var"] = mean, var
    normalized = (x - mean) * lax.rsqrt(var + BATCH_NORM_EPSILON)
    if f"{path}/scale" not in params:
        return normalized
    return normalized * params[f"{path}/scale"] + params[f"{path}/offset"]


def resnet(config: Config, params: Params, x: jax.Array,
           shapes: dict[str, tuple] | None = None) -> tuple[jax.Array, Statistics]:
    """Features [b, F] of images [b, h, w, c], and batch statistics. `shapes` receives each stage's."""
    shapes = {} if shapes is None else shapes
    x, statistics = within("resnet/stem", partial(stem, config.stem, config.padding), params, x)
    shapes["stem"] = x.shape
    for block in blocks(config):
        # Without its path a block is the same compiled function as every other block of its shape.
        apply = partial(residual_block, config.padding, block._replace(path=""))
        x, block_statistics = within(block.path, apply, params, x)
        statistics |= block_statistics
        shapes[block.path.split("/")[1]] = x.shape
    return jnp.mean(x, (1, 2)), statistics


def within(path: str, apply: Callable, params: Params, x: jax.Array) -> tuple[jax.Array, Statistics]:
    """Calls apply(params, x) with the parameters under `path`, named relative to it."""
    y, statistics = apply(subtree(params, path + "/"), x)
    return y, {f"{path}/{name}": value for name, value in statistics.items()}


@partial(jax.jit, static_argnums=(0, 1))
def stem(kind: str, padding: str, params: Params, x: jax.Array) -> tuple[jax.Array, Statistics]:
    statistics = {}
    x = conv(padding, params["conv/w"], x, 2 if kind == "imagenet" else 1)
    x = jax.nn.relu(batch_norm(params, "norm", x, statistics))
    return (max_pool(padding, x) if kind == "imagenet" else x), statistics


@partial(jax.jit, static_argnums=(0, 1))
def residual_block(padding: str, block: Block, params: Params,
                   x: jax.Array) -> tuple[jax.Array, Statistics]:
    statistics = {}

    def conv_norm(layer: Conv, y: jax.Array) -> jax.Array:
        y = conv(padding, params[f"{layer.name}/w"], y, layer.stride)
        return batch_norm(params, layer.name.replace("conv", "norm"), y, statistics)

    y = x
    for layer in block.convs[:-1]:
        y = jax.nn.relu(conv_norm(layer, y))
    y = conv_norm(block.convs[-1], y)
    shortcut = x if block.shortcut is None else conv_norm(block.shortcut, x)
    return jax.nn.relu(y + shortcut), statistics


@jax.jit
def mlp(params: Params, x: jax.Array) -> tuple[jax.Array, Statistics]:
    """Linear, batch norm, ReLU, linear, with the biases that there are: BYOL's projector and predictor."""
    statistics = {}
    x = dense(params, "dense1", x)
    x = jax.nn.relu(batch_norm(params, "norm", x, statistics))
    return dense(params, "dense2", x), statistics


def dense(params: Params, path: str, x: jax.Array) -> jax.Array:
    y = x @ params[f"{path}/w"]
    return y + params[f"{path}/b"] if f"{path}/b" in params else y


@partial(jax.jit, static_argnums=0)
def head(layers: tuple[tuple[int, bool, str], ...], params: Params, x: jax.Array) -> tuple[jax.Array, Statistics]:
    """A projector of any number of layers."""
    statistics = {}
    for i, (_, _, norm) in enumerate(layers, 1):
        x = dense(params, f"dense{i}", x)
        if norm != "no_norm":
            x = batch_norm(params, f"norm{i}", x, statistics)
        if i < len(layers):
            x = jax.nn.relu(x)
    return x, statistics


def network_shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """Shapes of the parameters that the online and the target network both have."""
    shapes = {}

    def conv_norm(path: str, layer: Conv) -> None:
        norm = f"{path}/{layer.name}".replace("conv", "norm")
        shapes[f"{path}/{layer.name}/w"] = (layer.size, layer.size, layer.channels_in, layer.channels_out)
        shapes[f"{norm}/scale"] = shapes[f"{norm}/offset"] = (layer.channels_out,)

    stem_size = 7 if config.stem == "imagenet" else 3
    stem_out = config.base * config.width_multiplier
    conv_norm("resnet/stem", Conv("conv", stem_size, 0, config.channels, stem_out))
    for block in blocks(config):
        for layer in block.convs + (() if block.shortcut is None else (block.shortcut,)):
            conv_norm(block.path, layer)
    if config.projector_layers:
        return shapes | head_shapes("projector", feature_size(config), config.projector_layers)
    return shapes | mlp_shapes("projector", feature_size(config), config.projector_hidden,
                               config.projector_out)


def online_only_shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """Shapes of the predictor's trainable parameters and of the probe's."""
    shapes = {}
    size = config.projector_out
    if config.has_predictor and config.predictor.kind == "linear":
        shapes["predictor/dense/w"] = (size, size)
    if config.has_predictor and config.predictor.kind == "mlp":
        hidden = config.predictor.hidden or config.projector_hidden
        shapes |= mlp_shapes("predictor", size, hidden, size)
        if not config.predictor.hidden_bias:
            del shapes["predictor/dense1/b"]
        if config.predictor.output_bias:
            shapes["predictor/dense2/b"] = (size,)
    if config.classes:
        shapes |= {"probe/w": (feature_size(config), config.classes), "probe/b": (config.classes,)}
    return shapes


def mlp_shapes(path: str, size: int, hidden: int, out: int) -> dict[str, tuple[int, ...]]:
    return {f"{path}/dense1/w": (size, hidden), f"{path}/dense1/b": (hidden,),
            f"{path}/norm/scale": (hidden,), f"{path}/norm/offset": (hidden,),
            f"{path}/dense2/w": (hidden, out)}


def head_shapes(path: str, size: int, layers: tuple[tuple[int, bool, str], ...]) -> dict[str, tuple[int, ...]]:
    shapes = {}
    for i, (out, bias, norm) in enumerate(layers, 1):
        shapes[f"{path}/dense{i}/w"] = (size, out)
        if bias:
            shapes[f"{path}/dense{i}/b"] = (out,)
        if norm == "batch":
            shapes[f"{path}/norm{i}/scale"] = shapes[f"{path}/norm{i}/offset"] = (out,)
        size = out
    return shapes


def plain_norms(config: Config) -> dict[str, int]:
    """Channels of the norms that have statistics but neither scale nor offset."""
    return {f"projector/norm{i}": size for i, (size, _, norm) in enumerate(config.projector_layers, 1)
            if norm == "plain"}


def last_norm_scales(config: Config) -> set[str]:
    """The scales that zero_init_residual sets to zero."""
    return {f"{block.path}/{block.convs[-1].name}/scale".replace("conv", "norm") for block in blocks(config)}

"""ResNets and heads as plain functions of a flat {path: array} dictionary.

Images are NHWC, conv kernels HWIO, dense kernels [in, out]. Every network runs in training mode: each
batch norm uses the statistics of the batch it is given and leaves them in `statistics` under its path.
"""

from typing import Iterator, NamedTuple

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


def feature_size(config: Config) -> int:
    bottleneck = ARCHITECTURES[config.architecture][1]
    return config.base * config.width_multiplier * 8 * (4 if bottleneck else 1)


def conv(config: Config, w: jax.Array, x: jax.Array, stride: int) -> jax.Array:
    low = (w.shape[0] - 1) // 2
    padding = "SAME" if config.padding == "same" else ((low, low), (low, low))
    return lax.conv_general_dilated(x, w, (stride, stride), padding,
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def max_pool(config: Config, x: jax.Array) -> jax.Array:
    padding = "SAME" if config.padding == "same" else ((0, 0), (1, 1), (1, 1), (0, 0))
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), padding)


def batch_norm(params: Params, path: str, x: jax.Array, statistics: Statistics) -> jax.Array:
    axes = tuple(range(x.ndim - 1))
    mean = jnp.mean(x, axes)
    var = jnp.mean(jnp.square(x), axes) - jnp.square(mean)
    statistics[f"{path}/mean"], statistics[f"{path}/var"] = mean, var
    normalized = (x - mean) * lax.rsqrt(var + BATCH_NORM_EPSILON)
    return normalized * params[f"{path}/scale"] + params[f"{path}/offset"]


def resnet(config: Config, params: Params, x: jax.Array, statistics: Statistics,
           shapes: dict[str, tuple] | None = None) -> jax.Array:
    """Features [b, F] of images [b, h, w, c]. `shapes` receives each stage's output shape."""
    shapes = {} if shapes is None else shapes
    x = conv(config, params["resnet/stem/conv/w"], x, 2 if config.stem == "imagenet" else 1)
    x = jax.nn.relu(batch_norm(params, "resnet/stem/norm", x, statistics))
    if config.stem == "imagenet":
        x = max_pool(config, x)
    shapes["stem"] = x.shape
    for block in blocks(config):
        x = residual_block(config, params, block, x, statistics)
        shapes[block.path.split("/")[1]] = x.shape
    return jnp.mean(x, (1, 2))


def residual_block(config: Config, params: Params, block: Block, x: jax.Array,
                   statistics: Statistics) -> jax.Array:
    def conv_norm(layer: Conv, y: jax.Array) -> jax.Array:
        y = conv(config, params[f"{block.path}/{layer.name}/w"], y, layer.stride)
        norm = layer.name.replace("conv", "norm")
        return batch_norm(params, f"{block.path}/{norm}", y, statistics)

    y = x
    for layer in block.convs[:-1]:
        y = jax.nn.relu(conv_norm(layer, y))
    y = conv_norm(block.convs[-1], y)
    return jax.nn.relu(y + (x if block.shortcut is None else conv_norm(block.shortcut, x)))


def mlp(params: Params, path: str, x: jax.Array, statistics: Statistics) -> jax.Array:
    """Linear, batch norm, ReLU, Linear without bias: the projector and the reference's predictor."""
    x = x @ params[f"{path}/dense1/w"] + params[f"{path}/dense1/b"]
    x = jax.nn.relu(batch_norm(params, f"{path}/norm", x, statistics))
    return x @ params[f"{path}/dense2/w"]


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
    return shapes | mlp_shapes("projector", feature_size(config), config.projector_hidden,
                               config.projector_out)


def online_only_shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """Shapes of the predictor's trainable parameters and of the probe's."""
    shapes = {}
    size = config.projector_out
    if config.predictor.kind == "linear":
        shapes["predictor/dense/w"] = (size, size)
    if config.predictor.kind == "mlp":
        hidden = config.predictor.hidden or config.projector_hidden
        shapes |= mlp_shapes("predictor", size, hidden, size)
    if config.classes:
        shapes |= {"probe/w": (feature_size(config), config.classes), "probe/b": (config.classes,)}
    return shapes


def mlp_shapes(path: str, size: int, hidden: int, out: int) -> dict[str, tuple[int, ...]]:
    return {f"{path}/dense1/w": (size, hidden), f"{path}/dense1/b": (hidden,),
            f"{path}/norm/scale": (hidden,), f"{path}/norm/offset": (hidden,),
            f"{path}/dense2/w": (hidden, out)}


def last_norm_scales(config: Config) -> set[str]:
    """The scales that zero_init_residual sets to zero."""
    return {f"{block.path}/{block.convs[-1].name}/scale".replace("conv", "norm") for block in blocks(config)}

"""A trained encoder in PyTorch, of any architecture, width, stem and padding that xla_byol trains.

    from torch_encoder import load_encoder

    encoder = load_encoder("encoder.safetensors")  # weights --format=torchvision
    features = encoder(pixels)  # uint8 or 0...1, [images, channels, height, width], to f32 [images, features]

The file's metadata say how pixels are normalized and how convolutions pad. Needs torch and nothing else; the
parameters can be trained further. For networks that torchvision has too, torchvision does as well (docs/weights.md).
"""

import json
import re
import struct

import torch
from torch import nn
from torch.nn import functional as F


def read_safetensors(path):
    """The f32 tensors by name, and the metadata."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = bytearray(file.read())
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        if entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            tensors[name] = torch.frombuffer(data[begin:end], dtype=torch.float32).reshape(entry["shape"])
    return tensors, metadata


def pad_for(x, kernel, stride, same, value=0.0):
    """Zeros (or `value`) around x as TensorFlow's SAME or torchvision put them."""
    pads = []
    for size in (x.shape[3], x.shape[2]):  # F.pad wants the last dimension first
        if same:
            total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
            pads += [total // 2, total - total // 2]
        else:
            pads += [(kernel - 1) // 2] * 2
    return F.pad(x, pads, value=value)


class Convolution(nn.Module):
    """With the batch norm that follows it."""

    def __init__(self, weights, convolution, norm, stride, same, epsilon):
        super().__init__()
        self.kernel = nn.Parameter(weights[convolution + ".weight"])
        self.stride, self.same = stride, same
        self.norm = nn.BatchNorm2d(self.kernel.shape[0], eps=epsilon)
        self.norm.load_state_dict(
            {leaf: weights[f"{norm}.{leaf}"] for leaf in ("weight", "bias", "running_mean", "running_var")}, strict=False)

    def forward(self, x):
        return self.norm(F.conv2d(pad_for(x, self.kernel.shape[2], self.stride, self.same), self.kernel, stride=self.stride))


class Block(nn.Module):
    """A basic block or a bottleneck, by the weights that there are."""

    def __init__(self, weights, name, stride, same, epsilon):
        super().__init__()
        bottleneck = f"{name}.conv3.weight" in weights
        strides = [1, stride, 1] if bottleneck else [stride, 1]
        self.convolutions = nn.ModuleList(
            Convolution(weights, f"{name}.conv{i}", f"{name}.bn{i}", s, same, epsilon) for i, s in enumerate(strides, 1))
        shortcut = f"{name}.downsample"
        self.shortcut = nn.Identity()
        if f"{shortcut}.0.weight" in weights:
            self.shortcut = Convolution(weights, f"{shortcut}.0", f"{shortcut}.1", stride, same, epsilon)

    def forward(self, x):
        y = x
        for convolution in self.convolutions[:-1]:
            y = F.relu(convolution(y))
        return F.relu(self.convolutions[-1](y) + self.shortcut(x))


class Encoder(nn.Module):

    def __init__(self, weights, metadata):
        super().__init__()
        numbers = lambda key: torch.tensor([float(x) for x in re.findall(r"[-+.\de]+", metadata[key])])
        self.register_buffer("mean", numbers("mean").reshape(1, -1, 1, 1))
        self.register_buffer("stddev", numbers("stddev").reshape(1, -1, 1, 1))
        self.same = metadata["padding"] == "SAME"
        epsilon = float(metadata["batch_norm_epsilon"])
        self.pool = metadata["stem"] == "IMAGENET"
        self.stem = Convolution(weights, "conv1", "bn1", 2 if self.pool else 1, self.same, epsilon)
        names = {tuple(map(int, found.groups())) for name in weights if (found := re.match(r"layer(\d+)\.(\d+)\.", name))}
        self.blocks = nn.Sequential(*(
            Block(weights, f"layer{layer}.{block}", 2 if layer > 1 and block == 0 else 1, self.same, epsilon)
            for layer, block in sorted(names)))

    def forward(self, pixels):
        if pixels.dtype == torch.uint8:
            pixels = pixels / 255
        x = F.relu(self.stem((pixels - self.mean) / self.stddev))
        if self.pool:
            x = F.max_pool2d(pad_for(x, 3, 2, self.same, float("-inf")), 3, stride=2)
        return self.blocks(x).mean((2, 3))


def load_encoder(path):
    """In evaluation mode, with running statistics; train() makes batch norm use each batch's own."""
    weights, metadata = read_safetensors(path)
    missing = {"mean", "stddev", "padding", "stem", "batch_norm_epsilon"} - metadata.keys()
    if missing or "conv1.weight" not in weights:
        raise ValueError(f"{path} was not written by `weights --format=torchvision`: "
                         f"it lacks {', '.join(sorted(missing)) or 'conv1.weight'}")
    return Encoder(weights, metadata).eval()

"""Exported weights in another network: the features must be those of the CPU plugin.

  check_weights.py jax|torchvision|torch_encoder ARCHITECTURE FOLDER
"""

import re
import sys

import numpy as np

sys.path[:0] = ["tests/oracle", "tools"]
import safetensors_io


def jax_features(weights, images):
    """torchvision's ResNet, read off from the names of its weights."""
    import jax.numpy as jnp
    from jax import lax

    def conv(x, name, stride):
        w = weights[name + ".weight"]
        pad = (w.shape[2] - 1) // 2
        return lax.conv_general_dilated(x, w, (stride, stride), [(pad, pad)] * 2,
                                        dimension_numbers=("NCHW", "OIHW", "NCHW"), precision="highest")

    def norm(x, name):
        part = lambda leaf: weights[f"{name}.{leaf}"][None, :, None, None]
        return (x - part("running_mean")) / jnp.sqrt(part("running_var") + 1e-5) * part("weight") + part("bias")

    relu = lambda x: jnp.maximum(x, 0)
    if weights["conv1.weight"].shape[2] == 7:
        x = relu(norm(conv(images, "conv1", 2), "bn1"))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), [(0, 0), (0, 0), (1, 1), (1, 1)])
    else:
        x = relu(norm(conv(images, "conv1", 1), "bn1"))
    blocks = {tuple(map(int, found.groups())) for name in weights if (found := re.match(r"layer(\d)\.(\d+)\.", name))}
    for layer, block in sorted(blocks):
        here = f"layer{layer}.{block}."
        stride = 2 if layer > 1 and block == 0 else 1
        if here + "conv3.weight" in weights:
            y = relu(norm(conv(x, here + "conv1", 1), here + "bn1"))
            y = relu(norm(conv(y, here + "conv2", stride), here + "bn2"))
            y = norm(conv(y, here + "conv3", 1), here + "bn3")
        else:
            y = relu(norm(conv(x, here + "conv1", stride), here + "bn1"))
            y = norm(conv(y, here + "conv2", 1), here + "bn2")
        if here + "downsample.0.weight" in weights:
            x = norm(conv(x, here + "downsample.0", stride), here + "downsample.1")
        x = relu(x + y)
    return np.asarray(x.mean((2, 3)))


def torchvision_features(architecture, weights, images):
    import torch
    import torchvision

    model = getattr(torchvision.models, architecture)()
    model.fc = torch.nn.Identity()
    # Strict: every name that torchvision has, and no other.
    model.load_state_dict({name: torch.tensor(value) for name, value in weights.items()}, strict=True)
    model.eval()
    with torch.no_grad():
        return model(torch.tensor(images)).numpy()


def torch_encoder_features(path, images):
    import torch
    from torch_encoder import load_encoder

    with torch.no_grad():
        return load_encoder(path)(torch.tensor(np.ascontiguousarray(images.transpose(0, 3, 1, 2)))).numpy()


by, architecture, folder = sys.argv[1:]
weights = safetensors_io.read(f"{folder}/torchvision.safetensors")
ours = safetensors_io.read(f"{folder}/ours.safetensors")
state = safetensors_io.read(f"{folder}/run/checkpoints/step-00000007/state.safetensors")
case = safetensors_io.read(f"{folder}/features.safetensors")

for name, value in ours.items():
    path = name if f"online/{name}" not in state else f"online/{name}"
    path = path if path in state else f"batch_stats/online/{name}"
    np.testing.assert_array_equal(value, state[path])
encoder = [name for name in state if name.startswith(("online/resnet/", "batch_stats/online/resnet/"))]
assert len(ours) == len(encoder) > 0

if by == "torch_encoder":
    got = torch_encoder_features(f"{folder}/torchvision.safetensors", case["images"])
else:
    mean, stddev = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    images = ((case["images"] / 255.0 - mean) / stddev).astype(np.float32).transpose(0, 3, 1, 2)
    if by == "jax":
        got = jax_features(weights, images)
    else:
        got = torchvision_features(architecture, weights, np.ascontiguousarray(images))
want = case["features"]
assert got.shape == want.shape, (got.shape, want.shape)
error = np.abs(got - want).max() / np.abs(want).max()
assert want.std() > 1e-3 * np.abs(want).max(), "the features say nothing"
print(f"{architecture} in {by}: largest difference {error:.1e} of the largest feature {np.abs(want).max():.3g}")
# f32 sums in another order, over some fifty layers.
assert error < 1e-4, error

"""Times the BYOL step as PyTorch does it naturally on a CPU: channels_last, oneDNN's convolutions, autograd, each view
by itself, LARS and the moving average by torch._foreach. Takes what bench_step.py takes and prints the same JSON line.

Needs torch and numpy, nothing of JAX: tools/compare_step makes the environment."""

import argparse
import json
import statistics
import time

import numpy as np
import torch
import torch.nn.functional as F

import safetensors_io
from config import ARCHITECTURES

EPSILON = 1e-5
MOMENTUM, WEIGHT_DECAY, TRUST = 0.9, 1e-6, 1e-3
EXCLUDED_FROM_LARS = ("/b", "/scale", "/offset")


class Network:
    """ResNet and projector of one set of parameters, named as in byol_jax.py."""

    def __init__(self, flags: argparse.Namespace, parameters: dict[str, torch.Tensor], averages: dict[str, torch.Tensor]):
        self.flags, self.parameters, self.averages = flags, parameters, averages

    def conv(self, path: str, x: torch.Tensor, stride: int = 1) -> torch.Tensor:
        w = self.parameters[path + "/w"]
        return F.conv2d(x, w, stride=stride, padding=(w.shape[2] - 1) // 2)

    def norm(self, path: str, x: torch.Tensor) -> torch.Tensor:
        return F.batch_norm(x, self.averages[path + "/mean"], self.averages[path + "/var"],
                            self.parameters[path + "/scale"], self.parameters[path + "/offset"],
                            training=True, momentum=0.1, eps=EPSILON)

    def features(self, x: torch.Tensor) -> torch.Tensor:
        counts, bottleneck = ARCHITECTURES[self.flags.architecture]
        imagenet = self.flags.stem == "imagenet"
        x = F.relu(self.norm("resnet/stem/norm", self.conv("resnet/stem/conv", x, 2 if imagenet else 1)), inplace=True)
        if imagenet:
            x = F.max_pool2d(x, 3, 2, 1)
        for stage, count in enumerate(counts):
            for i in range(count):
                x = self.block(f"resnet/stage{stage}/block{i}", x, 2 if stage > 0 and i == 0 else 1, bottleneck)
        return x.mean((2, 3))

    def block(self, path: str, x: torch.Tensor, stride: int, bottleneck: bool) -> torch.Tensor:
        strides = (1, stride, 1) if bottleneck else (stride, 1)
        y = x
        for number, step in enumerate(strides, 1):
            y = self.norm(f"{path}/norm{number}", self.conv(f"{path}/conv{number}", y, step))
            if number < len(strides):
                y = F.relu(y, inplace=True)
        if f"{path}/shortcut/conv/w" in self.parameters:
            x = self.norm(f"{path}/shortcut/norm", self.conv(f"{path}/shortcut/conv", x, stride))
        return F.relu(y + x, inplace=True)

    def project(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = self.features(x)
        y = features @ self.parameters["projector/dense1/w"] + self.parameters["projector/dense1/b"]
        return features, F.relu(self.norm("projector/norm", y)) @ self.parameters["projector/dense2/w"]


def newton_schulz(s: torch.Tensor, iterations: int = 9) -> torch.Tensor:
    norm = torch.linalg.norm(s)
    a, b = s / norm, torch.eye(len(s))
    for _ in range(iterations):
        c = 3 * torch.eye(len(s)) - b @ a
        a, b = 0.5 * a @ c, 0.5 * c @ b
    return a * norm.sqrt()


def distance(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    def unit(v: torch.Tensor) -> torch.Tensor:
        return v * v.square().sum(-1, keepdim=True).clamp_min(1e-12).rsqrt()
    return (unit(x) - unit(y)).square().sum(-1)


class Step:
    def __init__(self, flags: argparse.Namespace, tensors: dict[str, np.ndarray]):
        def tree(prefix: str) -> dict[str, torch.Tensor]:
            return {name[len(prefix):]: to_torch(value) for name, value in tensors.items() if name.startswith(prefix)}

        self.online, self.target, self.momentum = tree("online/"), tree("target/"), tree("momentum/")
        for parameter in self.online.values():
            parameter.requires_grad_()
        self.networks = [Network(flags, self.online, tree("batch_stats/online/")),
                         Network(flags, self.target, tree("batch_stats/target/"))]
        self.predictor = torch.tensor(tensors["predictor/P"])
        self.scalars = {name.removeprefix("scalar/"): float(value) for name, value in tensors.items()
                        if name.startswith("scalar/")}

    def run(self, view1: torch.Tensor, view2: torch.Tensor, labels: torch.Tensor) -> float:
        x1, x2 = normalize(view1), normalize(view2)
        online, target = self.networks
        with torch.no_grad():
            t1, t2 = target.project(x1)[1], target.project(x2)[1]
        (h1, z1), (_, z2) = online.project(x1), online.project(x2)
        with torch.no_grad():
            rho = self.scalars["rho"]
            self.predictor = rho * self.predictor + (1 - rho) * newton_schulz(z1.T @ z1)
        loss = (distance(z1 @ self.predictor, t2) + distance(z2 @ self.predictor, t1)).mean()
        logits = h1.detach() @ self.online["probe/w"] + self.online["probe/b"]
        gradients = torch.autograd.grad(loss + F.cross_entropy(logits, labels), list(self.online.values()))
        self.update(gradients)
        return float(loss.detach())

    @torch.no_grad()
    def update(self, gradients: tuple[torch.Tensor, ...]) -> None:
        rate, tau = self.scalars["learning_rate"], self.scalars["tau"]
        parameters = list(self.online.values())
        adapted = [i for i, name in enumerate(self.online) if not name.endswith(EXCLUDED_FROM_LARS)]
        updates = list(gradients)
        decayed = torch._foreach_add([gradients[i] for i in adapted], [parameters[i] for i in adapted], alpha=WEIGHT_DECAY)
        norms = torch._foreach_norm([parameters[i] for i in adapted])
        ratios = [torch.where((p > 0) & (u > 0), TRUST * p / u, torch.ones(()))
                  for p, u in zip(norms, torch._foreach_norm(decayed))]
        torch._foreach_mul_(decayed, ratios)
        for i, update in zip(adapted, decayed):
            updates[i] = update
        momenta = [self.momentum[name] for name in self.online]
        torch._foreach_mul_(momenta, MOMENTUM)
        torch._foreach_add_(momenta, updates)
        torch._foreach_add_(parameters, momenta, alpha=-rate)
        torch._foreach_lerp_(list(self.target.values()), [self.online[name] for name in self.target], 1 - tau)


def to_torch(value: np.ndarray) -> torch.Tensor:
    tensor = torch.tensor(value)
    if tensor.ndim == 4:  # HWIO
        return tensor.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
    return tensor


def normalize(view: torch.Tensor) -> torch.Tensor:
    channels = view.shape[3]
    mean, std = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)) if channels == 3 else ((0.0,), (1.0,))
    x = (view.float() / 255 - torch.tensor(mean)) / torch.tensor(std)
    return x.permute(0, 3, 1, 2)  # NHWC in memory is channels_last


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", required=True, help="what `bench --write_inputs` wrote")
    parser.add_argument("--architecture", default="resnet50")
    parser.add_argument("--stem", default="imagenet")
    parser.add_argument("--steps", type=int, default=3, help="timed steps, after one that warms up")
    flags = parser.parse_args()
    tensors = safetensors_io.read(flags.inputs)
    view1, view2 = (torch.tensor(tensors[f"batch/view{number}"]) for number in (1, 2))
    labels = torch.tensor(tensors["batch/labels"]).long()
    step = Step(flags, tensors)
    times, losses = [], []
    for _ in range(flags.steps + 1):
        start = time.perf_counter()
        losses.append(step.run(view1, view2, labels))
        times.append(time.perf_counter() - start)
    step_s = statistics.median(times[1:])
    print(json.dumps({"images_per_s": round(len(labels) / step_s, 4), "step_s": round(step_s, 4),
                      "batch": len(labels), "loss": losses[0], "config": f"torch {torch.__version__}"}))


if __name__ == "__main__":
    main()

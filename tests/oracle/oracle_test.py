"""Tests of the oracle itself, against hand-worked numbers, plain NumPy, SciPy and finite differences."""

import dataclasses
import os
import tempfile
import unittest

# Almost all of the time here is XLA compiling for tensors of a few numbers. Set before JAX is loaded.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

import byol_jax
import closed_forms
import config as config_lib
import networks
import run_step
import safetensors_io
from config import Predictor

jax.config.update("jax_enable_x64", True)

TINY = {"architecture": "tiny", "stem": "small", "base_channels": 4, "projector_hidden": 16,
        "projector_out": 8, "classes": 5, "x64": True, "dump": True}
BATCH = 6


def make_case(seed: int, **overrides):
    """A tiny configuration with everything random that may be, and its inputs for one step."""
    config = config_lib.from_dict(TINY | overrides)
    rng = np.random.default_rng(seed)
    tensors = byol_jax.init_state(config, seed)
    for name, value in tensors.items():
        if not name.endswith("/w"):
            tensors[name] = (value + 0.1 * rng.standard_normal(value.shape)).astype(np.float32)
    for view in ("view1", "view2"):
        tensors[f"batch/{view}"] = rng.integers(0, 256, (BATCH, 8, 8, 3), dtype=np.uint8)
    tensors["batch/labels"] = np.array([0, 4, -1, 2, -1, 1], np.int32)
    scalars = {"learning_rate": 0.3, "tau": 0.9, "rho": 0.8, "bn_rate1": 0.25, "bn_rate2": 0.5}
    return config, tensors | {f"scalar/{name}": np.float32(value) for name, value in scalars.items()}


def loss_at(config, tensors, direction, distance):
    moved = {name: value + distance * direction.get(name, 0.0) if name in direction else value
             for name, value in tensors.items()}
    state = {name: jnp.array(value, jnp.float64) for name, value in moved.items()
             if not name.startswith(run_step.BATCH_PREFIXES)}
    scalars = {name: jnp.float64(tensors[f"scalar/{name}"]) for name in byol_jax.SCALARS}
    return byol_jax.train_step(config, state, tensors["batch/view1"], tensors["batch/view2"],
                               tensors["batch/labels"], scalars)


class Networks(unittest.TestCase):
    def test_parameter_counts(self):
        # torchvision's counts without fc: published totals minus 512*1000+1000 or 2048*1000+1000.
        known = {"resnet18": 11_176_512, "resnet34": 21_284_672, "resnet50": 23_508_032,
                 "resnet101": 42_500_160, "resnet152": 58_143_808}
        for name, count in known.items():
            config = config_lib.from_dict({"architecture": name, "padding": "torch"})
            shapes = networks.subtree(networks.network_shapes(config), "resnet/")
            self.assertEqual(sum(np.prod(shape) for shape in shapes.values()), count, name)

    def test_reference_projects_every_stage(self):
        same = networks.network_shapes(config_lib.from_dict({"architecture": "resnet18"}))
        torch = networks.network_shapes(config_lib.from_dict({"architecture": "resnet18", "padding": "torch"}))
        extra = set(same) - set(torch)
        self.assertEqual(extra, {f"resnet/stage0/block0/shortcut/{leaf}"
                                 for leaf in ("conv/w", "norm/scale", "norm/offset")})

    def test_stage_shapes(self):
        for padding in ("same", "torch"):
            config = config_lib.from_dict({"padding": padding, "width_multiplier": 2})
            self.assertEqual(self.stages(config, 224), {
                "stem": (2, 56, 56, 128), "stage0": (2, 56, 56, 512), "stage1": (2, 28, 28, 1024),
                "stage2": (2, 14, 14, 2048), "stage3": (2, 7, 7, 4096), "features": (2, 4096)})
        small = config_lib.from_dict({"architecture": "resnet18", "stem": "small"})
        self.assertEqual(self.stages(small, 32)["stem"], (2, 32, 32, 64))
        self.assertEqual(self.stages(small, 32)["stage3"], (2, 4, 4, 512))

    def stages(self, config, size):
        params = {name: jax.ShapeDtypeStruct(shape, jnp.float32)
                  for name, shape in networks.network_shapes(config).items()}
        shapes = {}
        images = jax.ShapeDtypeStruct((2, size, size, 3), jnp.float32)
        out = jax.eval_shape(lambda p, x: networks.resnet(config, p, x, shapes)[0], params, images)
        return shapes | {"features": out.shape}

    def test_conv_and_pool_padding(self):
        rng = np.random.default_rng(0)
        for size, kernel, stride in ((8, 3, 2), (7, 3, 2), (8, 7, 2), (6, 3, 1), (8, 1, 2)):
            x, w = rng.standard_normal((2, size, size, 2)), rng.standard_normal((kernel, kernel, 2, 3))
            for padding in ("same", "torch"):
                got = networks.conv(padding, jnp.array(w), jnp.array(x), stride)
                want = windows(x, kernel, stride, padding, 0.0, lambda v: np.einsum("bhwi,hwio->bo", v, w))
                np.testing.assert_allclose(got, want, atol=1e-12)
                if kernel == 3 and stride == 2:
                    got = networks.max_pool(padding, jnp.array(x))
                    want = windows(x, 3, 2, padding, -np.inf, lambda v: v.max((1, 2)))
                    np.testing.assert_array_equal(got, want)


def windows(x, kernel, stride, padding, fill, reduce):
    """reduce() of every window of x [b, n, n, c], padded as the contract of the step says."""
    n = x.shape[1]
    if padding == "same":
        total = max((-(-n // stride) - 1) * stride + kernel - n, 0)
        low, high = total // 2, total - total // 2
    else:
        low = high = (kernel - 1) // 2
    x = np.pad(x, ((0, 0), (low, high), (low, high), (0, 0)), constant_values=fill)
    places = range(0, x.shape[1] - kernel + 1, stride)
    rows = [[reduce(x[:, i:i + kernel, j:j + kernel]) for j in places] for i in places]
    return np.stack([np.stack(row, 1) for row in rows], 1)


class ClosedForms(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(3)
        self.z, self.t = rng.standard_normal((40, 6)), rng.standard_normal((40, 6))
        self.s = self.z.T @ self.z / 40

    def formula(self, kind, **options):
        return np.asarray(closed_forms.OF_COVARIANCE[kind](jnp.array(self.s), Predictor(kind, **options)))

    def test_square_roots(self):
        root = scipy.linalg.sqrtm(self.s)
        np.testing.assert_allclose(self.formula("newton_schulz", iterations=30), root, atol=1e-10)
        np.testing.assert_allclose(self.formula("visser", iterations=400, visser_step=0.1), root, atol=1e-10)
        np.testing.assert_allclose(
            self.formula("ns2", iterations=30), scipy.linalg.sqrtm(root), atol=1e-10)
        relative = scipy.linalg.sqrtm(self.s / np.linalg.norm(self.s, 2))
        np.testing.assert_allclose(self.formula("directpred"), relative + 0.01 * np.eye(6), atol=1e-10)
        np.testing.assert_allclose(
            self.formula("directpred", directpred_relative=False, directpred_epsilon=0.0), root, atol=1e-10)
        np.testing.assert_array_equal(self.formula("directcopy"), self.s)

    def test_one_newton_schulz_iteration_by_hand(self):
        s = np.diag([3.0, 4.0])  # norm 5: a = diag(.6, .8), a (3 - a) / 2 = diag(.72, .88)
        got = closed_forms.newton_schulz(jnp.array(s), Predictor("newton_schulz", iterations=1))
        np.testing.assert_allclose(got, np.diag([0.72, 0.88]) * np.sqrt(5.0), rtol=1e-12)

    def test_stiefel_is_the_scaled_polar_factor(self):
        m = np.random.default_rng(5).standard_normal((6, 6)) + 3 * np.eye(6)
        for divide in (True, False):
            got = closed_forms.stiefel(jnp.array(m), Predictor("stiefel", iterations=40, stiefel_divide=divide))
            factor, positive = scipy.linalg.polar(m)
            want = factor.T / np.linalg.norm(np.linalg.inv(positive))
            np.testing.assert_allclose(got, want, atol=1e-9)

    def test_least_squares(self):
        for rows in (40, 4):  # 4: fewer examples than latent dimensions
            z, t = self.z[:rows], self.t[:rows]
            got = closed_forms.lrp(jnp.array(z), jnp.array(t), Predictor("lrp"))
            np.testing.assert_allclose(got, scipy.linalg.pinv(z) @ t, atol=1e-10)

    def test_neumann_expansion(self):
        z, t = self.z / scipy.linalg.svdvals(self.z)[0], self.t / scipy.linalg.svdvals(self.t)[0]
        want = (2 * np.eye(6) - z.T @ z) @ z.T @ t
        got = closed_forms.ne(jnp.array(self.z), jnp.array(self.t), Predictor("ne"))
        np.testing.assert_allclose(got, want / scipy.linalg.svdvals(want)[0], atol=1e-12)


class Lars(unittest.TestCase):
    def update(self, excluded=False, clip=False, g=(2.7, 3.6), lr=2.0, wd=0.1, eta=1e-3, p=(3.0, 4.0)):
        p, m = byol_jax.lars(excluded, clip, jnp.array([p]), jnp.array([g]), jnp.array([[1.0, 0.0]]),
                             lr, wd, 0.9, eta)
        return np.concatenate([p[0], m[0]])

    def test_hand_worked(self):
        # u = (2.7, 3.6) + 0.1 (3, 4) = (3, 4); |p| = |u| = 5; u *= 0.001; m = 0.9 (1, 0) + u; p -= 2 m.
        np.testing.assert_allclose(self.update(), [1.194, 3.992, 0.903, 0.004], rtol=1e-12)
        # Which tensors are decayed is the caller's choice.
        np.testing.assert_allclose(self.update(excluded=True, wd=0.0), [-4.2, -3.2, 3.6, 3.6], rtol=1e-12)
        # min(0.001 / 2, 1) and min(1 / 0.5, 1).
        np.testing.assert_allclose(self.update(clip=True)[2:], [0.9015, 0.002], rtol=1e-12)
        np.testing.assert_allclose(self.update(clip=True, lr=0.5, eta=1.0)[2:], [3.9, 4.0], rtol=1e-12)
        # A norm of zero leaves the update as it is.
        np.testing.assert_allclose(self.update(g=(0.0, 0.0), wd=0.0)[2:], [0.9, 0.0], rtol=1e-12)
        np.testing.assert_allclose(self.update(p=(0.0, 0.0))[2:], [3.6, 3.6], rtol=1e-12)


class Step(unittest.TestCase):
    def test_gradient_by_finite_differences(self):
        # P does not depend on the batch when rho is 1, so that differences see what the gradient sees.
        cases = (make_case(1, predictor={"kind": "mlp"}),
                 make_case(2, predictor={"kind": "newton_schulz"}, padding="torch", stem="imagenet"))
        for config, tensors in cases:
            tensors["scalar/rho"] = np.float32(1.0)
            self.check_gradient(config, tensors, "loss", lambda path: not path.startswith("probe/"))
        self.check_gradient(config, tensors, "probe_loss", lambda path: path.startswith("probe/"))

    def check_gradient(self, config, tensors, metric, chosen):
        rng = np.random.default_rng(7)
        direction = {name: rng.standard_normal(value.shape) for name, value in tensors.items()
                     if name.startswith("online/") and chosen(name.removeprefix("online/"))}
        _, _, debug = loss_at(config, tensors, direction, 0.0)
        slope = sum(np.sum(debug[f"gradient/{name.removeprefix('online/')}"] * d)
                    for name, d in direction.items())
        h = 1e-6
        ends = [float(loss_at(config, tensors, direction, x)[1][metric]) for x in (h, -h)]
        # Central differences in f64: error of about 1e-16/h from rounding plus h^2 times curvature.
        self.assertAlmostEqual((ends[0] - ends[1]) / (2 * h) / slope, 1.0, delta=1e-6)

    def test_parts_of_the_step(self):
        config, tensors = make_case(4, predictor={"kind": "newton_schulz", "iterations": 40, "ridge": 0.3})
        out = run_step.run(config, tensors)
        latents = {name: out[f"debug/0/{name}"].astype(np.float64) for name in ("h1", "z1", "z2", "t1", "t2")}
        root = scipy.linalg.sqrtm(latents["z1"].T @ latents["z1"] + 1e-12 * np.eye(8)).real
        p = 0.8 * tensors["predictor/P"] + 0.2 * (root + 0.3 * np.eye(8))
        # The batch (6) is smaller than the latents (8): sqrtm of the singular S is good to 1e-6.
        np.testing.assert_allclose(out["predictor/P"], p, atol=1e-5)

        def cosine(x, y):
            return np.sum(x * y, 1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)

        loss = np.mean(4 - 2 * cosine(latents["z1"] @ p, latents["t2"])
                       - 2 * cosine(latents["z2"] @ p, latents["t1"]))
        np.testing.assert_allclose(out["metric/0/loss"], loss, rtol=1e-5)

        logits = latents["h1"] @ tensors["online/probe/w"] + tensors["online/probe/b"]
        logits, labels = logits[[0, 1, 3, 5]], np.array([0, 4, 2, 1])
        entropy = np.log(np.exp(logits).sum(1)) - logits[np.arange(4), labels]
        np.testing.assert_allclose(out["metric/0/probe_loss"], entropy.mean(), rtol=1e-6)
        np.testing.assert_allclose(out["metric/0/probe_accuracy"], np.mean(logits.argmax(1) == labels))

        path = "resnet/stage1/block0/conv1/w"
        target = tensors[f"target/{path}"]
        want = 0.9 * target + 0.1 * out[f"online/{path}"]
        np.testing.assert_allclose(out[f"target/{path}"], want, rtol=1e-5, atol=1e-7)

        norm = "batch_stats/target/resnet/stem/norm"
        means, variances = [], []
        for view in ("view1", "view2"):
            x = (tensors[f"batch/{view}"] / 255 - config.mean) / config.std
            kernel = tensors["target/resnet/stem/conv/w"].astype(np.float64)
            y = windows(x, 3, 1, "same", 0.0, lambda v: np.einsum("bhwi,hwio->bo", v, kernel))
            means.append(y.mean((0, 1, 2)))
            variances.append(y.var((0, 1, 2)))
        for name, (first, second) in {"mean": means, "var": variances}.items():
            want = 0.5 * (0.75 * tensors[f"{norm}/{name}"] + 0.25 * first) + 0.5 * second
            np.testing.assert_allclose(out[f"{norm}/{name}"], want, rtol=1e-5, atol=1e-6)

    def test_simsiam_and_every_predictor_run(self):
        kinds = config_lib.CLOSED_FORMS + ("identity", "linear")
        for seed, kind in enumerate(kinds):
            config, tensors = make_case(seed, predictor={"kind": kind})
            self.check_finite(run_step.run(config, tensors))
        config, tensors = make_case(0, predictor={"kind": "mlp"}, target="none", steps=2)
        out = run_step.run(config, tensors)
        self.check_finite(out)
        self.assertFalse([name for name in out if "target" in name])
        config, tensors = make_case(
            0, predictor={"kind": "directpred", "ema_of": "covariance", "both_views": True})
        out = run_step.run(config, tensors)
        z = np.concatenate([out["debug/0/z1"], out["debug/0/z2"]]).astype(np.float64)
        want = 0.8 * tensors["predictor/covariance"] + 0.2 * z.T @ z
        np.testing.assert_allclose(out["predictor/covariance"], want, rtol=1e-5, atol=1e-6)

    def check_finite(self, out):
        for name, value in out.items():
            self.assertTrue(np.all(np.isfinite(value)), name)

    def test_refuses_a_state_that_does_not_fit(self):
        config, tensors = make_case(0)
        del tensors["target/resnet/stem/conv/w"]
        tensors["online/extra"] = np.zeros(1, np.float32)
        with self.assertRaisesRegex(ValueError, "missing target/resnet/stem/conv/w.*unexpected online/extra"):
            run_step.run(config, tensors)
        with self.assertRaisesRegex(ValueError, "padding is 'valid'"):
            dataclasses.replace(config, padding="valid")


class Files(unittest.TestCase):
    def test_safetensors_round_trip(self):
        tensors = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b/scalar": np.float32(3.5),
                   "labels": np.array([-1, 2], np.int32), "pixels": np.zeros((0, 2), np.uint8)}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.safetensors")
            safetensors_io.write(path, tensors)
            read = safetensors_io.read(path)
        self.assertEqual(set(read), set(tensors))
        for name, value in tensors.items():
            np.testing.assert_array_equal(read[name], value)
            self.assertEqual((read[name].dtype, read[name].shape), (value.dtype, value.shape))


if __name__ == "__main__":
    unittest.main()

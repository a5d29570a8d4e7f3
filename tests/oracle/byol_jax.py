"""One BYOL training step in JAX: the independent truth that the C++ step is compared with.

The state is a flat dictionary of tensors named by path:
    online/<p>, target/<p>, momentum/<p>        parameters and LARS momentum (<p> e.g. resnet/stem/conv/w)
    batch_stats/{online,target}/<norm>/{mean,var}   running averages
    predictor/P [, predictor/covariance]        closed forms only
It runs the global batch on one device; the numbers of N replicas must agree with it.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import closed_forms
import methods
import networks
from config import Config
from networks import subtree, within

jax.config.update("jax_default_matmul_precision", "highest")

State = dict[str, jax.Array]
SCALARS = ("learning_rate", "tau", "rho", "bn_rate1", "bn_rate2")
OPTIONAL_SCALARS = ("predictor_learning_rate", "predictor_set", "first_moment_rate", "second_moment_rate")
EXCLUDED_FROM_LARS = ("/b", "/scale", "/offset")


def train_step(config: Config, state: State, view1: jax.Array, view2: jax.Array, labels: jax.Array,
               scalars: dict[str, jax.Array]) -> tuple[State, dict, dict]:
    """Returns the new state, the metrics, and the values that only a debugger wants."""
    online = subtree(state, "online/")
    target = subtree(state, "target/")
    dtype = online["resnet/stem/conv/w"].dtype
    x1, x2 = normalize_images(config, view1, dtype), normalize_images(config, view2, dtype)

    if config.target == "ema":
        (_, t1, target_stats1), (_, t2, target_stats2) = project_views(config, target, x1, x2)

    def objective(params: State, closed_form):
        (h1, z1, stats1), (_, z2, stats2) = project_views(config, params, x1, x2)
        if config.method.kind in methods.STANDARDIZED:
            z1, z2 = methods.standardize(z1), methods.standardize(z2)
        y1, y2 = (t1, t2) if config.target == "ema" else (z1, z2)
        latents = {"h1": h1, "z1": z1, "z2": z2, "t1": y1, "t2": y2}
        heads = subtree(params, "predictor/", strip=False) | subtree(params, "probe/", strip=False)
        total, (metrics, next_p, head_stats, predictions) = head_losses(
            config, heads, subtree(state, "predictor/", strip=False), latents, labels, scalars["rho"], closed_form)
        stats = stats1 | head_stats[0], stats2 | head_stats[1]
        return total, (metrics, next_p, stats, latents | predictions)

    between = config.predictor.train_between and not bool(scalars["predictor_set"])
    closed_form = state["predictor/P"] if between else None
    (gradient, p_gradient), (metrics, next_p, stats, latents) = jax.grad(objective, (0, 1), has_aux=True)(
        online, closed_form)
    metrics["grad_norm"] = global_norm(gradient)

    new_state = dict(next_p)
    for path, parameter in online.items():
        slots = [state[f"{slot}/{path}"] for slot in config.slots]
        new_state[f"online/{path}"], *slots = update(config, path, parameter, gradient[path], slots, scalars)
        new_state |= {f"{slot}/{path}": value for slot, value in zip(config.slots, slots)}
    if config.predictor.train_between:
        # In steps that set P its gradient still enters the momentum.
        if not between:
            closed_form = next_p["predictor/P"]
            p_gradient = jax.grad(objective, (0, 1), has_aux=True)(online, closed_form)[0][1]
        slots = [state[f"{slot}/predictor/P"] for slot in config.slots]
        trained, *slots = update(config, "predictor/P", closed_form, p_gradient, slots, scalars)
        new_state["predictor/P"] = trained if between else closed_form
        new_state |= {f"{slot}/predictor/P": value for slot, value in zip(config.slots, slots)}
    averages = subtree(state, "batch_stats/", strip=False)
    rates = scalars["bn_rate1"], scalars["bn_rate2"]
    new_state |= running_averages(averages, "batch_stats/online/", *stats, rates)
    if config.target == "ema":
        new_target = target_ema(target, subtree(new_state, "online/"), scalars["tau"])
        new_state |= {f"target/{path}": value for path, value in new_target.items()}
        new_state |= running_averages(averages, "batch_stats/target/", target_stats1, target_stats2, rates)
    debug = latents | {f"gradient/{path}": g for path, g in gradient.items()}
    return new_state, metrics, debug


@partial(jax.jit, static_argnums=0)
def head_losses(config: Config, params: State, predictor_state: State, latents: State, labels, rho, closed_form):
    """BYOL's loss plus the probe's; and metrics, predictor state, predictors' statistics, predictions."""
    z1, z2 = latents["z1"], latents["z2"]
    t1, t2 = lax.stop_gradient(latents["t1"]), lax.stop_gradient(latents["t2"])
    next_p = {}
    if config.closed_form:
        z, t = (z1, t2)
        if config.predictor.both_views:
            z, t = jnp.concatenate([z1, z2]), jnp.concatenate([t2, t1])
        next_p = closed_forms.next_predictor(
            predictor_state, lax.stop_gradient(z), t, rho, config.predictor)
    used_p = next_p if closed_form is None else {"predictor/P": closed_form}
    p1, p2, stats1, stats2 = predict_views(config, params, used_p, z1, z2)
    loss = config.method.loss_weight * method_loss(config, params, (z1, z2), (p1, p2), (t1, t2))
    probe_loss, probe_accuracy = probe(params, lax.stop_gradient(latents["h1"]), labels)
    metrics = {"loss": loss, "probe_loss": probe_loss, "probe_accuracy": probe_accuracy}
    return loss + probe_loss, (metrics, next_p, (stats1, stats2), {"p1": p1, "p2": p2})


@partial(jax.jit, static_argnums=(0, 2))
def normalize_images(config: Config, view: jax.Array, dtype) -> jax.Array:
    mean, std = jnp.asarray(config.mean, dtype), jnp.asarray(config.std, dtype)
    unit = view.astype(dtype)
    return ((unit / 255 if view.dtype == jnp.uint8 else unit) - mean) / std


def method_loss(config: Config, params: State, z, p, t) -> jax.Array:
    kind = config.method.kind
    if kind in ("byol", "simsiam"):
        return jnp.mean(distance(p[0], t[1]) + distance(p[1], t[0]))
    if kind == "liu":
        return methods.liu(config.method, *z, params["predictor/dense/w"])
    return getattr(methods, kind)(config.method, *z)


def project_views(config: Config, params: State, x1: jax.Array, x2: jax.Array):
    """project of both views, each with its own statistics or with those of both."""
    if not config.joint_statistics:
        return project(config, params, x1), project(config, params, x2)
    features, projections, statistics = project(config, params, jnp.concatenate([x1, x2]))
    b = len(x1)
    return (features[:b], projections[:b], statistics), (features[b:], projections[b:], statistics)


def predict_views(config: Config, params: State, next_p: State, z1: jax.Array, z2: jax.Array):
    if not config.joint_statistics:
        p1, stats1 = predict(config, params, next_p, z1)
        p2, stats2 = predict(config, params, next_p, z2)
        return p1, p2, stats1, stats2
    p, stats = predict(config, params, next_p, jnp.concatenate([z1, z2]))
    return p[:len(z1)], p[len(z1):], stats, stats


def project(config: Config, params: State, x: jax.Array) -> tuple[jax.Array, jax.Array, State]:
    """Features, projection and batch statistics of one view."""
    features, statistics = networks.resnet(config, params, x)
    layers = config.projector_layers
    projector = partial(networks.head, layers) if layers else networks.mlp
    projection, projector_statistics = within("projector", projector, params, features)
    return features, projection, statistics | projector_statistics


def predict(config: Config, params: State, next_p: State, z: jax.Array) -> tuple[jax.Array, State]:
    """The prediction, and the batch statistics of a predictor that has a batch norm."""
    kind = config.predictor.kind if config.has_predictor else "identity"
    if kind == "mlp":
        return within("predictor", networks.mlp, params, z)
    if kind == "identity":
        return z, {}
    return z @ (params["predictor/dense/w"] if kind == "linear" else next_p["predictor/P"]), {}


def distance(x: jax.Array, y: jax.Array) -> jax.Array:
    """Squared distance of the normalised rows."""
    def unit(v: jax.Array) -> jax.Array:
        return v * lax.rsqrt(jnp.maximum(jnp.sum(jnp.square(v), -1, keepdims=True), 1e-12))

    return jnp.sum(jnp.square(unit(x) - unit(y)), -1)


def probe(params: State, features: jax.Array, labels: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Mean cross entropy and accuracy over the labelled examples; zeros when there are none."""
    if "probe/w" not in params:
        return jnp.zeros((), features.dtype), jnp.zeros((), features.dtype)
    logits = features @ params["probe/w"] + params["probe/b"]
    labelled = labels >= 0
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), jnp.where(labelled, labels, 0)[:, None], 1)
    count = jnp.maximum(jnp.sum(labelled), 1).astype(logits.dtype)
    loss = -jnp.sum(jnp.where(labelled, picked[:, 0], 0.0)) / count
    correct = labelled & (jnp.argmax(logits, 1) == labels)
    return loss, jnp.sum(correct).astype(logits.dtype) / count


def update(config: Config, path: str, parameter, gradient, slots: list, scalars: State) -> tuple:
    """The new parameter and its new slots."""
    vector = path.endswith(EXCLUDED_FROM_LARS)
    predictor = path.startswith("predictor/")
    rate = scalars["predictor_learning_rate" if predictor and config.constant_predictor_rate else "learning_rate"]
    rate = rate * (config.vector_rate if vector else 1.0) * (config.predictor_rate if predictor else 1.0)
    weight_decay = 0.0 if vector and not config.decays_vectors else config.weight_decay
    if config.optimizer == "sgd":
        return sgd(config.nesterov, parameter, gradient, slots[0], rate, weight_decay, config.momentum)
    if config.optimizer == "adamw":
        return adamw(parameter, gradient, *slots, rate, weight_decay, scalars["first_moment_rate"],
                     scalars["second_moment_rate"], config.epsilon)
    return lars(vector, config.clip_trust, parameter, gradient, slots[0], rate, weight_decay, config.momentum,
                config.trust_coefficient)


@partial(jax.jit, static_argnums=0)
def sgd(nesterov: bool, parameter, gradient, momentum, learning_rate, weight_decay, momentum_decay):
    direction = gradient + weight_decay * parameter
    momentum = momentum_decay * momentum + direction
    step = direction + momentum_decay * momentum if nesterov else momentum
    return parameter - learning_rate * step, momentum


@jax.jit
def adamw(parameter, gradient, first, second, learning_rate, weight_decay, first_rate, second_rate, epsilon):
    first = (1.0 - first_rate) * first + first_rate * gradient
    second = (1.0 - second_rate) * second + second_rate * jnp.square(gradient)
    step = first / (jnp.sqrt(second) + epsilon) + weight_decay * parameter
    return parameter - learning_rate * step, first, second


@partial(jax.jit, static_argnums=(0, 1))
def lars(excluded: bool, clip: bool, parameter, gradient, momentum, learning_rate, weight_decay,
         momentum_decay, trust_coefficient):
    """The new parameter and its new momentum; `weight_decay` is this tensor's, 0 for one that is not decayed."""
    update = gradient + weight_decay * parameter
    if not excluded:
        parameter_norm = jnp.sqrt(jnp.sum(jnp.square(parameter)))
        update_norm = jnp.sqrt(jnp.sum(jnp.square(update)))
        both = (parameter_norm > 0) & (update_norm > 0)
        ratio = trust_coefficient * parameter_norm / jnp.where(both, update_norm, 1.0)
        if clip:
            ratio = jnp.minimum(ratio / learning_rate, 1.0)
        update = update * jnp.where(both, ratio, 1.0)
    momentum = momentum_decay * momentum + update
    return parameter - learning_rate * momentum, momentum


@jax.jit
def target_ema(target: State, online: State, tau: jax.Array) -> State:
    return {path: value + (1.0 - tau) * (online[path] - value) for path, value in target.items()}


@jax.jit
def global_norm(tensors: State) -> jax.Array:
    return jnp.sqrt(sum(jnp.sum(jnp.square(value)) for value in tensors.values()))


@partial(jax.jit, static_argnums=1)
def running_averages(state: State, prefix: str, stats1: State, stats2: State, rates) -> State:
    averages = {}
    for path, value in stats1.items():
        average = state[prefix + path]
        average = average + rates[0] * (value - average)
        averages[prefix + path] = average + rates[1] * (stats2[path] - average)
    return averages


def state_shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """Every tensor of the state by name."""
    shared = networks.network_shapes(config)
    online = shared | networks.online_only_shapes(config)
    shapes = {f"{tree}/{path}": shape for tree in ("online", *config.slots) for path, shape in online.items()}
    trees = {"online": online}
    if config.target == "ema":
        shapes |= {f"target/{path}": shape for path, shape in shared.items()}
        trees["target"] = shared
    for tree, parameters in trees.items():
        for path, shape in parameters.items():
            if path.endswith("/scale"):
                norm = f"batch_stats/{tree}/{path.removesuffix('/scale')}"
                shapes |= {f"{norm}/mean": shape, f"{norm}/var": shape}
        for path, channels in networks.plain_norms(config).items():
            norm = f"batch_stats/{tree}/{path}"
            shapes |= {f"{norm}/mean": (channels,), f"{norm}/var": (channels,)}
    if config.closed_form:
        shapes["predictor/P"] = (config.projector_out,) * 2
        if config.predictor.train_between:
            shapes |= {f"{slot}/predictor/P": shapes["predictor/P"] for slot in config.slots}
        if config.predictor.ema_of == "covariance":
            shapes["predictor/covariance"] = (config.projector_out,) * 2
    return shapes


def init_state(config: Config, seed: int) -> dict[str, np.ndarray]:
    """A state of the right kind to start from. Its random numbers are not those of the C++ program."""
    rng = np.random.default_rng(seed)
    zero_scales = networks.last_norm_scales(config) if config.zero_init_residual else set()
    state = {}
    for name, shape in state_shapes(config).items():
        tree, _, path = name.partition("/")
        if tree in (*config.slots, "batch_stats"):
            state[name] = np.zeros(shape, np.float32)
        elif tree == "predictor":
            state[name] = np.eye(shape[0], dtype=np.float32)
        elif path.endswith("/w"):
            draw = rng.standard_normal(shape)
            while np.any(outside := np.abs(draw) > 2.0):
                draw[outside] = rng.standard_normal(np.count_nonzero(outside))
            state[name] = (draw / np.sqrt(np.prod(shape[:-1]))).astype(np.float32)
        else:
            value = 1.0 if path.endswith("/scale") and path not in zero_scales else 0.0
            state[name] = np.full(shape, value, np.float32)
    return state

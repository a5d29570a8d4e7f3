"""The oracle's configuration, as JSON.

Every key, with its default; an unknown key is an error.

    architecture       "resnet50": resnet18, 34, 50, 101, 152, 200, small or tiny (basic blocks
                       2,2,1,1 and 1,1,1,1)
    stem               "imagenet" (7x7 stride 2, max-pool) | "small" (3x3 stride 1)
    padding            "same" (TensorFlow's) | "torch" ((k-1)/2 on both sides)
    width_multiplier   1
    base_channels      null: 64, or 8 for tiny; channels of stage s are base * 2^s * width (x4 out of
                       a bottleneck)
    channels           3, of the images
    projector_hidden   4096
    projector_out      256
    classes            1000, of the linear probe; 0: no probe
    zero_init_residual false; only for states made here (init_state), not for those read
    target             "ema" | "none" (SimSiam: the target is stop_gradient of the online projection)
    predictor          {...}, below
    projector_layers   []; else [[size, bias, norm], ...] with norm "no_norm", "batch" or "plain" (without scale and
                       offset): paths dense1, norm1, dense2, ...; ReLU after all but the last
    joint_statistics   false; true: batch norm sees both views as one batch
    method             {...}, below
    optimizer          "lars" | "sgd" | "adamw"
    nesterov, beta1, beta2, epsilon    as in the program's config
    decays_vectors     false; true: weight decay reaches biases and norms
    vector_rate, predictor_rate        1.0: rates of 1-D tensors and of a trained predictor, relative
    constant_predictor_rate            false; true: the predictor's rate is scalar/<k>/predictor_learning_rate
    weight_decay       1e-6
    momentum           0.9
    trust_coefficient  1e-3
    clip_trust         false; true: the trust ratio is min(ratio / learning_rate, 1)
    mean, std          ImageNet's; lists with one number per channel
    augmentation       false; true: batch/<k>/draws1 and draws2 say how views are changed (augment_numpy.py)
    steps              1, how many the run makes
    x64                false; true: the same step in float64, rounded to f32 when written
    dump               false; true: the output also holds debug/<step>/... (latents, gradients)

    predictor.kind                 "linear", "mlp", "identity", or a closed form: "newton_schulz", "lrp",
                                   "ne", "visser", "ns2", "stiefel", "directpred", "directcopy",
                                   "directcopy_normalized"
    method.kind                    "byol", "simsiam", "barlow_twins", "vicreg", "liu" or "eigenmap" (methods.py)
    method.loss_weight             1.0
    method.{invariance,variance,covariance,off_diagonal}_weight, partitions, scale, ordered

    predictor.hidden               null: projector_hidden (mlp)
    predictor.hidden_bias, output_bias    true, false (mlp)
    predictor.train_between        false; true: scalar/<k>/predictor_set says whether the closed form sets P in step k;
                                   else the optimizer moves it
    predictor.iterations           9 (newton_schulz, ns2, stiefel, visser)
    predictor.ridge                0.0, alpha: P_n + alpha I
    predictor.normalize_covariance false; true: S = Z^T Z / batch
    predictor.both_views           false; true: Z = [z1; z2], Z' = [t2; t1]
    predictor.covariance_images    0: one P of the batch; n: the mean over groups of n images
    predictor.ema_of               "predictor" | "covariance": which of P and S the decay rho averages. With
                                   "covariance" the state has predictor/covariance too, and P' = F(S') + alpha I
    predictor.visser_step          0.001, eta
    predictor.stiefel_divide       true: S^T S / f before the iteration, as in the pseudo-code
    predictor.lrp_rcond            null: jax.numpy.linalg.pinv's default
    predictor.directpred_relative  true: eigenvalues relative to the largest one
    predictor.directpred_epsilon   0.01, added to the roots of the eigenvalues
    predictor.directpred_floor     1e-4, the least eigenvalue of P
"""

import dataclasses
import json

# Blocks per stage, and whether they are bottlenecks.
ARCHITECTURES = {
    "small": ((2, 2, 1, 1), False),
    "tiny": ((1, 1, 1, 1), False),
    "resnet14": ((1, 1, 1, 1), True),
    "resnet26": ((2, 2, 2, 2), True),
    "resnet18": ((2, 2, 2, 2), False),
    "resnet34": ((3, 4, 6, 3), False),
    "resnet50": ((3, 4, 6, 3), True),
    "resnet101": ((3, 4, 23, 3), True),
    "resnet152": ((3, 8, 36, 3), True),
    "resnet200": ((3, 24, 36, 3), True),
}
TRAINABLE = ("linear", "mlp")
CLOSED_FORMS = ("newton_schulz", "lrp", "ne", "visser", "ns2", "stiefel", "directpred", "directcopy",
                "directcopy_normalized", "lrp2")


@dataclasses.dataclass(frozen=True)
class Predictor:
    kind: str = "linear"
    hidden: int | None = None
    iterations: int = 9
    ridge: float = 0.0
    normalize_covariance: bool = False
    both_views: bool = False
    covariance_images: int = 0
    ema_of: str = "predictor"
    visser_step: float = 0.001
    stiefel_divide: bool = True
    lrp_rcond: float | None = None
    directpred_relative: bool = True
    directpred_epsilon: float = 0.01
    directpred_floor: float = 1e-4
    hidden_bias: bool = True
    output_bias: bool = False
    train_between: bool = False


@dataclasses.dataclass(frozen=True)
class Method:
    kind: str = "byol"
    loss_weight: float = 1.0
    invariance_weight: float = 0.0
    variance_weight: float = 0.0
    covariance_weight: float = 0.0
    off_diagonal_weight: float = 0.0
    partitions: int = 1
    scale: float = 10.0
    ordered: bool = False


@dataclasses.dataclass(frozen=True)
class Config:
    architecture: str = "resnet50"
    stem: str = "imagenet"
    padding: str = "same"
    width_multiplier: int = 1
    base_channels: int | None = None
    channels: int = 3
    projector_hidden: int = 4096
    projector_out: int = 256
    classes: int = 1000
    zero_init_residual: bool = False
    target: str = "ema"
    predictor: Predictor = Predictor()
    method: Method = Method()
    projector_layers: tuple[tuple[int, bool, str], ...] = ()
    joint_statistics: bool = False
    optimizer: str = "lars"
    nesterov: bool = False
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    decays_vectors: bool = False
    vector_rate: float = 1.0
    predictor_rate: float = 1.0
    constant_predictor_rate: bool = False
    weight_decay: float = 1e-6
    momentum: float = 0.9
    trust_coefficient: float = 1e-3
    clip_trust: bool = False
    mean: tuple[float, ...] = (0.485, 0.456, 0.406)
    std: tuple[float, ...] = (0.229, 0.224, 0.225)
    augmentation: bool = False
    steps: int = 1
    x64: bool = False
    dump: bool = False

    def __post_init__(self):
        choices = {
            "architecture": tuple(ARCHITECTURES),
            "stem": ("imagenet", "small"),
            "padding": ("same", "torch"),
            "target": ("ema", "none"),
            "optimizer": ("lars", "sgd", "adamw"),
        }
        for name, allowed in choices.items():
            _check_choice(name, getattr(self, name), allowed)
        _check_choice("predictor.kind", self.predictor.kind, TRAINABLE + ("identity",) + CLOSED_FORMS)
        _check_choice("predictor.ema_of", self.predictor.ema_of, ("predictor", "covariance"))
        if self.predictor.ema_of == "covariance" and self.predictor.kind in ("lrp", "ne"):
            raise ValueError(f"predictor {self.predictor.kind} is no function of the covariance")
        if len(self.mean) != self.channels or len(self.std) != self.channels:
            raise ValueError(f"mean and std need {self.channels} numbers, one per channel")

    @property
    def base(self) -> int:
        return self.base_channels or (8 if self.architecture == "tiny" else 64)

    @property
    def closed_form(self) -> bool:
        return self.has_predictor and self.predictor.kind in CLOSED_FORMS

    @property
    def has_predictor(self) -> bool:
        return self.method.kind in ("byol", "simsiam", "liu")

    @property
    def slots(self) -> tuple[str, ...]:
        return ("first_moment", "second_moment") if self.optimizer == "adamw" else ("momentum",)


def _check_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")


def from_dict(values: dict) -> Config:
    """A Config from parsed JSON; unknown keys raise TypeError."""
    values = dict(values)
    values["predictor"] = Predictor(**values.get("predictor", {}))
    values["method"] = Method(**values.get("method", {}))
    values["projector_layers"] = tuple(tuple(layer) for layer in values.get("projector_layers", ()))
    for name in ("mean", "std"):
        if name in values:
            values[name] = tuple(values[name])
    return Config(**values)


def read(path: str) -> Config:
    with open(path) as file:
        return from_dict(json.load(file))

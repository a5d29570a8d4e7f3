"""Judges the closed forms of the C++ program:

    compare_closed_forms.py FILE [PLOT.svg]

FILE is what tests/predictors/closed_form_cases writes. Truths: NumPy and SciPy in float64, the paper's
pseudo-code in JAX (closed_forms.py), the paper's propositions. Prints the table of errors against n that
docs/predictors.md shows; PLOT gets its picture.
"""

import sys

import jax
import numpy as np
import scipy.linalg

import closed_forms
import safetensors_io
from config import Predictor

jax.config.update("jax_default_matmul_precision", "highest")

CASES = ("random", "low_rank", "near_singular")
DEGENERATE = ("rank_one", "all_equal", "zeros", "large", "nan")
# f32 rounding (6e-8) through some thirty products, the error of one feeding the next.
ROUNDING = 2e-5


def power_of(s: np.ndarray, exponent: float) -> np.ndarray:
    """On s's range; what f32 cannot tell from 0 is 0."""
    values, vectors = np.linalg.eigh(s)
    present = values > 1e-12 * values.max()
    powers = np.where(present, np.where(present, values, 1.0) ** exponent, 0.0)
    return (vectors * powers) @ vectors.T


def limits(z: np.ndarray, t: np.ndarray) -> dict[str, np.ndarray]:
    """What each form tends to with growing n, in float64."""
    s = z.T @ z
    unit_z, unit_t = z / np.linalg.norm(z, 2), t / np.linalg.norm(t, 2)
    ne = 2.0 * unit_z.T @ unit_t - unit_z.T @ unit_z @ unit_z.T @ unit_t
    rank = np.linalg.matrix_rank(s, tol=1e-6 * np.linalg.norm(s, 2))
    # Singular values that f32 products cannot tell from 0 are none.
    regression = np.linalg.pinv(z, rcond=1e-3 if rank < len(s) else 1e-15) @ t
    root = scipy.linalg.sqrtm(s).real if rank == len(s) else power_of(s, 0.5)
    return {
        "newton_schulz": root,
        "visser": root,
        "ns2": power_of(s, 0.25),
        "stiefel": scipy.linalg.polar(s)[0] if rank == len(s) else power_of(s, 0.0),
        "lrp": regression,
        # Two passes tell singular values of 1e-3 of the largest from 0, and the rounding of Z itself (1e-7) not.
        "lrp2": np.linalg.pinv(z, rcond=1e-5) @ t,
        "ne": ne / np.linalg.norm(ne, 2),
        "directpred": power_of(s / np.linalg.norm(s, 2), 0.5),
        "directcopy": s,
        "directcopy_normalized": s / np.linalg.norm(s, 2),
    }


def relative(p: np.ndarray, truth: np.ndarray, form: str) -> float:
    if form == "stiefel":  # its scale is arbitrary
        p, truth = p / np.linalg.norm(p), truth / np.linalg.norm(truth)
    return float(np.linalg.norm(p - truth) / np.linalg.norm(truth))


class Judge:
    def __init__(self, tensors: dict[str, np.ndarray]):
        self.tensors = {name: value.astype(np.float64) for name, value in tensors.items()}
        self.problems = []

    def latents(self, case: str) -> tuple[np.ndarray, np.ndarray]:
        return self.tensors[f"latents/{case}/z"], self.tensors[f"latents/{case}/t"]

    def p(self, case: str, form: str, n: int | None = None) -> np.ndarray:
        """With n iterations; by default with the most."""
        return self.tensors[f"p/{case}/{form}/{self.counts(form)[-1] if n is None else n}"]

    def counts(self, form: str) -> list[int]:
        return sorted({int(name.split("/")[3]) for name in self.tensors
                       if name.startswith("p/") and name.split("/")[2] == form})

    def expect(self, what: str, value: float, bound: float) -> None:
        verdict = "ok" if value <= bound else "FAILED"
        print(f"{verdict}: {what}: {value:.3g}, bound {bound:.3g}")
        if not value <= bound:
            self.problems.append(what)

    def errors(self) -> dict[str, dict[str, dict[int, float]]]:
        table = {}
        for case in CASES:
            truth = limits(*self.latents(case))
            for form in truth:
                table.setdefault(form, {})[case] = {
                    n: relative(self.p(case, form, n), truth[form], form) for n in self.counts(form)}
        return table


def check_limits(judge: Judge, table) -> None:
    """With enough iterations each form is at its limit, as far as its iteration promises."""
    promised = {
        # Well conditioned (eigenvalues of S within a factor of 9).
        "random": dict(newton_schulz=ROUNDING, ns2=ROUNDING, stiefel=ROUNDING, visser=1e-4, lrp=1e-4, lrp2=1e-4,
                       ne=1e-3, directpred=1e-3, directcopy=ROUNDING, directcopy_normalized=1e-3),
        # Eleven of sixteen eigenvalues are rounding noise, 1e-7 of the largest, that grows with n.
        "low_rank": dict(newton_schulz=1e-3, ns2=1e-2, stiefel=1e-2, directpred=1e-3, lrp=1e-3, lrp2=1e-2, ne=1e-3,
                         directcopy=ROUNDING, directcopy_normalized=1e-3),
        # Eigenvalues of S fall to 1e-6 of the largest. Fifteen steps of Newton-Schulz bring them to 1e-3; for LRP,
        # Stiefel and Visser see check_promises.
        # LRP's second pass inverts them all the same.
        "near_singular": dict(lrp2=1e-3, newton_schulz=2e-3, ns2=5e-2, ne=1e-3, directpred=2e-3, directcopy=ROUNDING,
                              directcopy_normalized=1e-3),
    }
    for case, forms in promised.items():
        for form, bound in forms.items():
            errors = table[form][case]
            judge.expect(f"{form} on {case} latents, n = {max(errors)}", errors[max(errors)], bound)


def in_exact_arithmetic(form: str, n: int, z: np.ndarray, t: np.ndarray) -> np.ndarray:
    """n steps of the iteration in float64, eigenvalue by eigenvalue, on which all three act one by one."""
    values, vectors = np.linalg.eigh(z.T @ z)
    values = np.maximum(values, 0.0)
    if form == "visser":
        step = 0.001
        p = np.full_like(values, 0.5 / step)
        for _ in range(n):
            p = p + step * (values - p * p)
    elif form == "stiefel":
        relative_values = values / np.linalg.norm(values)
        a, b = relative_values**2 / np.linalg.norm(relative_values**2), np.ones_like(values)
        for _ in range(n):
            a, b = a * (3.0 - b * a) / 2.0, (3.0 - b * a) * b / 2.0
        p = b * relative_values
    else:
        bound = np.linalg.norm(values, 8)
        p = relative_values = values / bound
        for _ in range(n):
            p = p * (2.0 - relative_values * p)
        return (vectors * (p / bound)) @ vectors.T @ (z.T @ t)
    return (vectors * p) @ vectors.T


def check_promises(judge: Judge) -> None:
    """Stiefel, LRP and Visser are far from their limits on near-singular latents: eigenvalues below some share of
    the largest are not reached in n steps. What n steps promise is what exact arithmetic makes of them."""
    z, t = judge.latents("near_singular")
    for form in ("stiefel", "lrp", "visser"):
        for n in judge.counts(form):
            error = relative(judge.p("near_singular", form, n), in_exact_arithmetic(form, n, z, t), form)
            judge.expect(f"{form} on near-singular latents, n = {n}, against exact steps", error, ROUNDING)


def check_pseudo_code(judge: Judge) -> None:
    """The same number of iterations in JAX, f32, gives the same P."""
    for case in CASES:
        z, t = (value.astype(np.float32) for value in judge.latents(case))
        for form in ("newton_schulz", "ns2", "stiefel", "visser", "directpred", "directcopy", "ne", "lrp", "lrp2"):
            counts = judge.counts(form)
            # Those whose oracle is an eigendecomposition have no n; beyond the paper's n, rounding noise of
            # directions that latents lack differs.
            exact = form in ("directpred", "directcopy", "ne", "lrp", "lrp2")
            if exact and (case != "random" or form == "directpred"):
                continue
            for n in counts[-1:] if exact else [n for n in counts if n <= (100 if form == "visser" else 9)]:
                options = Predictor(kind=form, iterations=n, directpred_epsilon=0.0)
                if form in closed_forms.OF_LATENTS:
                    expected = closed_forms.OF_LATENTS[form](z, t, options)
                else:
                    expected = closed_forms.OF_COVARIANCE[form](z.T @ z, options)
                expected = np.asarray(expected, np.float64)
                p = judge.p(case, form, n)
                bound = 1e-3 if exact else 1e-4
                error = np.linalg.norm(p - expected) / np.linalg.norm(expected)
                judge.expect(f"{form} on {case} latents, n = {n}, against JAX", error, bound)


def check_propositions(judge: Judge) -> None:
    # 1: the regression's hat matrix Z P* Z^+ is the projection on span(Z); with Z' in that span, P*'s own is
    # idempotent and symmetric: for Z' = Z it is the projection on Z's rows, here all of them or five.
    for case in ("flat30", "random", "low_rank"):
        z, t = judge.latents(case)
        p = judge.p(case, "lrp")
        fitted = z @ p
        hat = z @ np.linalg.pinv(z, rcond=1e-3)
        judge.expect(f"proposition 1: Z P* is the projection of Z' ({case})",
                     np.linalg.norm(fitted - hat @ t) / np.linalg.norm(t), 1e-5 if case == "flat30" else 2e-4)
    p = judge.p("flat30", "lrp")
    judge.expect("proposition 1: P P = P", np.linalg.norm(p @ p - p), 1e-5)
    judge.expect("proposition 1: P = P^T", np.linalg.norm(p - p.T), 1e-5)
    # 2: Z' = Z + sigma G with sigma -> 0 gives the identity.
    p = judge.p("converged", "lrp")
    judge.expect("proposition 2: P* is the identity when both branches agree",
                 np.linalg.norm(p - np.eye(len(p)), 2), 1e-4)
    # 3: NE's expansion around S = I: the error falls with the square of S's spread.
    errors = []
    for percent in (3, 10, 30):
        z, t = judge.latents(f"flat{percent}")
        regression = np.linalg.pinv(z) @ t
        error = np.linalg.norm(judge.p(f"flat{percent}", "ne") - regression / np.linalg.norm(regression, 2), 2)
        judge.expect(f"proposition 3: NE is LRP for a spread of {percent} %", error,
                     (1 - (1 - 0.01 * percent) ** 2) ** 2 + 1e-3)
        errors.append(error)
    judge.expect("proposition 3: the error falls as latents come closer", max(np.diff(errors[::-1])), 0.0)
    # 5 and 6: Visser and Newton-Schulz converge to the same root.
    judge.expect("propositions 5 and 6: Visser and Newton-Schulz agree",
                 relative(judge.p("random", "visser"), judge.p("random", "newton_schulz"), ""), 1e-4)
    # 8: rank one gives Krasulina's update.
    z, _ = judge.latents("random")
    p = judge.tensors["proposition/krasulina/p"][0]
    s = z.T @ z
    krasulina = s @ p - p * (p @ s @ p) / (p @ p)
    gradient = -0.5 * (p @ p) * judge.tensors["proposition/krasulina/gradient"][0]
    judge.expect("proposition 8: the rank-one gradient is Krasulina's update",
                 relative(gradient, krasulina, ""), ROUNDING)
    # 9: the Riemannian gradient is tangent to the manifold; 10: (M^T M)^(-1/2) projects on it.
    orthogonal = judge.tensors["proposition/stiefel/orthogonal"]
    polar = scipy.linalg.polar(judge.tensors["proposition/stiefel/m"])[0]
    judge.expect("proposition 10: M (M^T M)^(-1/2) is the polar factor", relative(orthogonal, polar, ""), 1e-4)
    riemannian = judge.tensors["proposition/stiefel/riemannian"]
    euclidean = judge.tensors["proposition/stiefel/euclidean"]
    tangency = orthogonal.T @ riemannian
    # The polar factor above is orthogonal to 1e-5, and the gradient no more tangent than that.
    judge.expect("proposition 9: P^T Grad + Grad^T P = 0",
                 np.linalg.norm(tangency + tangency.T) / np.linalg.norm(euclidean), 1e-4)


def check_degenerate(judge: Judge) -> None:
    """P stays finite, or all of it is NaN or infinite so that the step's metric notices."""
    forms = sorted({name.split("/")[2] for name in judge.tensors if name.startswith("p/")})
    for case in DEGENERATE:
        for form in forms:
            for n in judge.counts(form):
                finite = np.isfinite(judge.p(case, form, n))
                # Visser is defined while its step times |P| is below 1 only.
                lost = case == "nan" or (case == "large" and form == "visser")
                wrong = finite.all() if lost else not finite.all()
                if wrong:
                    judge.expect(f"{form} on {case} latents, n = {n}: "
                                 f"{'some entry not finite' if lost else 'all finite'}", 1.0, 0.0)
    print(f"degenerate latents: {len(DEGENERATE) * len(forms)} combinations")


def plot(table, path: str) -> None:
    """One panel per form: log10 of the error against n, a line per kind of latents."""
    colours = dict(random="#1f77b4", low_rank="#d62728", near_singular="#2ca02c")
    forms = [form for form in table if len(next(iter(table[form].values()))) > 1]
    width, height = 230, 170
    parts = []
    for i, form in enumerate(forms):
        left, top = (i % 4) * width + 40, (i // 4) * height + 30
        counts = sorted(table[form]["random"])
        place = lambda k, e: (left + 160 * k / (len(counts) - 1), top + 100 * min(-np.log10(max(e, 1e-8)), 8) / 8)
        parts.append(f'<text x="{left}" y="{top - 10}" font-weight="bold">{form}</text>'
                     f'<rect x="{left}" y="{top}" width="160" height="100" fill="none" stroke="#999"/>')
        parts += [f'<text x="{left - 4}" y="{top + 12.5 * d + 4}" text-anchor="end">1e-{d}</text>' for d in (0, 4, 8)]
        parts += [f'<text x="{place(k, 1)[0]}" y="{top + 114}" text-anchor="middle">{n}</text>'
                  for k, n in enumerate(counts)]
        for case, colour in colours.items():
            points = " ".join("{:.1f},{:.1f}".format(*place(k, table[form][case][n])) for k, n in enumerate(counts))
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    bottom = (len(forms) + 3) // 4 * height + 20
    for i, (case, colour) in enumerate(colours.items()):
        parts.append(f'<text x="{40 + 150 * i}" y="{bottom}" fill="{colour}">{case} latents</text>')
    with open(path, "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {4 * width} {bottom + 10}" '
                   'font-family="sans-serif" font-size="10"><rect width="100%" height="100%" fill="white"/>'
                   + "\n".join(parts) + "</svg>\n")


def main() -> int:
    judge = Judge(safetensors_io.read(sys.argv[1]))
    with np.errstate(all="ignore"):
        table = judge.errors()
    for form, cases in table.items():
        print(f"| {form} | n | " + " | ".join(str(n) for n in judge.counts(form)) + " |")
        for case, errors in cases.items():
            print("| | " + case + " | " + " | ".join(f"{errors[n]:.1e}" for n in sorted(errors)) + " |")
    check_limits(judge, table)
    check_promises(judge)
    check_pseudo_code(judge)
    check_propositions(judge)
    check_degenerate(judge)
    if len(sys.argv) > 2:
        plot(table, sys.argv[2])
    print(f"{len(judge.problems)} problems")
    return 1 if judge.problems else 0


if __name__ == "__main__":
    sys.exit(main())

"""Writes the results of scipy, statsmodels and ppi-python for some data, as golden values of the crate `evidence`.

    python3 -m venv venv && venv/bin/pip install scipy statsmodels ppi-python
    venv/bin/python scripts/evidence-golden.py > crates/evidence/tests/golden/statistics.json
"""

import json
import warnings

import numpy as np
import statsmodels.api as sm
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate
from scipy import stats
from statsmodels.stats.contingency_tables import SquareTable
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

warnings.simplefilter("ignore")
random = np.random.default_rng(20261125)


def quantiles():
    for p in (0.0005, 0.025, 0.2, 0.5, 0.9, 0.975, 0.9999):
        for df in (1, 2.5, 8.9952198853, 30, 2056):
            t = stats.t.ppf(p, df)
            yield {"p": p, "df": df, "normal": stats.norm.ppf(p), "t": t, "chi_above": stats.chi2.sf(abs(t) * 2, df)}


def groups():
    for n, m, shift in [(6, 5, 0.4), (40, 60, 0.0), (200, 30, 1.2)]:
        a, b = random.normal(3 + shift, 1, n).round(2), random.normal(3, 1.6, m).round(2)
        result = stats.ttest_ind(a, b, equal_var=False)
        interval = result.confidence_interval(0.95)
        margin = 0.5
        yield {
            "a": a.tolist(), "b": b.tolist(), "t": result.statistic, "df": result.df, "p": result.pvalue,
            "low": interval.low, "high": interval.high, "margin": margin,
            "equivalence_p": ttost_ind(a, b, -margin, margin, usevar="unequal")[0],
            "ks": stats.ks_2samp(a, b).statistic,
            "ks_limit_p": stats.kstwobign.sf(stats.ks_2samp(a, b).statistic * np.sqrt(n * m / (n + m))),
            "wasserstein": stats.wasserstein_distance(a, b),
        }


def pairs():
    for n, rho in [(12, 0.9), (90, 0.3)]:
        a, b = random.multivariate_normal([3, 3.2], [[1, rho], [rho, 1]], n).round(2).T
        result = stats.ttest_rel(a, b)
        interval = result.confidence_interval(0.95)
        yield {
            "a": a.tolist(), "b": b.tolist(), "t": result.statistic, "p": result.pvalue, "low": interval.low,
            "high": interval.high, "margin": 0.4, "equivalence_p": ttost_paired(a, b, -0.4, 0.4)[0],
            "spearman": stats.spearmanr(a, b).statistic,
        }


def shares():
    for a, n, b, m in [(56, 70, 48, 80), (9, 10, 3, 10), (0, 12, 4, 15), (900, 1000, 850, 1058)]:
        low, high = confint_proportions_2indep(a, n, b, m, method="newcomb", compare="diff")
        yield {"counts": [a, n, b, m], "low": low, "high": high}


def tables():
    for table in [[[20, 10, 5], [3, 30, 15], [0, 5, 40]], [[9, 4], [11, 30]], [[5, 1, 0], [2, 6, 0], [0, 0, 0]]]:
        counts = np.array(table)
        used = counts[: max(2, (counts.sum(0) + counts.sum(1) > 0).sum()), : max(2, (counts.sum(0) + counts.sum(1) > 0).sum())]
        same = SquareTable(used, shift_zeros=False).homogeneity("stuart_maxwell")
        rows = np.array([counts.sum(1), counts.sum(0)])
        chi = stats.chi2_contingency(rows[:, rows.sum(0) > 0], correction=False)
        uniform = stats.chisquare(counts.sum(1))
        yield {
            "table": table, "maxwell": float(same.statistic), "maxwell_p": float(same.pvalue), "chi": chi.statistic,
            "chi_p": chi.pvalue, "uniform": uniform.statistic, "uniform_p": uniform.pvalue,
        }


def regressions():
    for n in (15, 120):
        x = np.column_stack([np.ones(n), random.integers(0, 2, n), random.normal(40, 12, n).round(1)])
        y = (x @ [1, 0.7, 0.03] + random.normal(0, 1 + x[:, 1], n)).round(3)
        fit = sm.OLS(y, x).fit(cov_type="HC2")
        yield {"x": x.tolist(), "y": y.tolist(), "coefficients": fit.params.tolist(), "errors": fit.bse.tolist()}


def rectified():
    for n, more, rho in [(30, 200, 0.2), (120, 2000, 0.7), (60, 60, -0.3)]:
        y, f = random.multivariate_normal([3, 3.5], [[1, rho], [rho, 1]], n).round(2).T
        rest = random.normal(3.5, 1, more).round(2)
        for lam in (None, 1.0, 0.0):
            low, high = ppi_mean_ci(y, f, rest, alpha=0.05, lam=lam)
            yield {
                "y": y.tolist(), "f": f.tolist(), "rest": rest.tolist(), "lambda": lam, "low": float(low[0]),
                "high": float(high[0]), "estimate": float(ppi_mean_pointestimate(y, f, rest, lam=lam)[0]),
            }


def linearised(values, weights):
    """The squared error of a weighted mean."""
    mean = np.average(values, weights=weights)
    return (weights**2 * (values - mean) ** 2).sum() / weights.sum() ** 2


def weighted_rectified():
    random = np.random.default_rng(20261126)
    for n, more, rho in [(40, 300, 0.6), (150, 1000, 0.3)]:
        y, f = random.multivariate_normal([3, 3.5], [[1, rho], [rho, 1]], n).round(2).T
        rest = random.normal(3.5, 1, more).round(2)
        w, wo = random.uniform(0.3, 3, n).round(2), random.uniform(0.5, 2, more).round(2)
        for lam in (None, 1.0, 0.0):
            estimate = float(ppi_mean_pointestimate(y, f, rest, lam=lam, w=w, w_unlabeled=wo)[0])
            # The estimate is linear in lambda, so that both ends give the one that ppi-python chose.
            ends = [float(ppi_mean_pointestimate(y, f, rest, lam=at, w=w, w_unlabeled=wo)[0]) for at in (0, 1)]
            chosen = (estimate - ends[0]) / (ends[1] - ends[0])
            # ppi-python's error depends on where the scale begins: (w·y).std() is not that of a weighted mean.
            squared = chosen**2 * linearised(rest, wo) + linearised(y - chosen * f, w)
            half = stats.norm.ppf(0.975) * np.sqrt(squared)
            yield {
                "y": y.tolist(), "f": f.tolist(), "rest": rest.tolist(), "w": w.tolist(), "wo": wo.tolist(), "lambda": lam,
                "chosen": chosen, "estimate": estimate, "low": estimate - half, "high": estimate + half,
                "rho": np.cov(y, f, aweights=w)[0, 1] / np.sqrt(np.prod(np.diag(np.cov(y, f, aweights=w)))),
                "kish": w.sum() ** 2 / (w**2).sum(),
            }


def all_arms():
    random = np.random.default_rng(20261127)
    n, m, more = 60, 50, 400
    y, f = random.multivariate_normal([3, 3.5], [[1, 0.7], [0.7, 1]], n).round(2).T
    z, g = random.multivariate_normal([2.6, 3.3], [[1, 0.5], [0.5, 1]], m).round(2).T
    rest = random.multivariate_normal([3.5, 3.3], [[1, 0.8], [0.8, 1]], more).round(2)
    w, v, wo = [random.uniform(0.5, 2, size).round(2) for size in (n, m, more)]
    for weights in ((np.ones(n), np.ones(m), np.ones(more)), (w, v, wo)):
        a, b, c = weights
        gap = rest[:, 0] - rest[:, 1]

        def joint(x, other, by):
            product = (x - np.average(x, weights=by)) * (other - np.average(other, weights=by))
            return (by**2 * product).sum() / by.sum() ** 2

        spread = linearised(gap, c) + linearised(f, a) + linearised(g, b)
        lam = np.clip((joint(y, f, a) + joint(z, g, b)) / spread, 0, 1)
        estimate = lam * np.average(gap, weights=c) + np.average(y - lam * f, weights=a) - np.average(z - lam * g, weights=b)
        squared = lam**2 * linearised(gap, c) + linearised(y - lam * f, a) + linearised(z - lam * g, b)
        half = stats.norm.ppf(0.975) * np.sqrt(squared)
        yield {
            "first": [y.tolist(), f.tolist(), rest[:, 0].tolist()], "second": [z.tolist(), g.tolist(), rest[:, 1].tolist()],
            "weights": None if (a == 1).all() else [a.tolist(), b.tolist(), c.tolist()], "lambda": lam,
            "estimate": estimate, "low": estimate - half, "high": estimate + half,
        }


def drawn():
    """Design-based supervised learning: means by hand, regressions by statsmodels."""
    random = np.random.default_rng(20261128)
    size = 240
    group = random.integers(0, 3, size)
    probability = np.array([0.2, 0.4, 0.5])[group]
    f = (3 + 0.3 * group + random.normal(0, 1, size)).round(2)
    y = (f + 0.5 * group - 0.4 + random.normal(0, 0.6, size)).round(2)
    asked = random.uniform(size=size) < probability
    stand_in = f + np.where(asked, (y - f) / probability, 0)
    x = np.column_stack([np.ones(size), group == 1, group == 2]).astype(float)
    rectified = sm.OLS(stand_in, x).fit(cov_type="HC2")
    twins = sm.OLS(f, x).fit(cov_type="HC2")
    root = np.sqrt(1 / probability[asked])
    people = sm.OLS(y[asked] * root, x[asked] * root[:, None]).fit(cov_type="HC2")
    yield {
        "group": group.tolist(), "twins": f.tolist(), "probability": probability.tolist(),
        "people": [float(value) if is_asked else None for value, is_asked in zip(y, asked)],
        "mean": stand_in.mean(), "error": stand_in.std(ddof=1) / np.sqrt(size),
        "people_mean": np.average(y[asked], weights=1 / probability[asked]),
        "people_error": np.sqrt(linearised(y[asked], 1 / probability[asked])),
        "coefficients": [fit.params.tolist()[1:] for fit in (people, twins, rectified)],
        "errors": [fit.bse.tolist()[1:] for fit in (people, twins, rectified)],
    }


def weighted_metrics():
    random = np.random.default_rng(20261129)
    size, k = 60, 5
    h = random.integers(1, k + 1, size)
    t = np.clip(h + random.integers(-1, 2, size), 1, k)
    w = random.uniform(0.2, 3, size).round(2)
    shares = [np.array([w[side == c].sum() for c in range(1, k + 1)]) / w.sum() for side in (h, t)]
    mean = lambda values: np.average(values, weights=w)
    sd = lambda values: np.sqrt(mean((values - mean(values)) ** 2))
    entropy = [stats.entropy(p, base=2) for p in shares]
    observed, chance = mean(h == t), (shares[0] * shares[1]).sum()
    cost = (np.subtract.outer(np.arange(k), np.arange(k)) / (k - 1)) ** 2
    differences = (t - h).astype(float)
    gaps = np.array([[(a == c) - 1.0 * (b == c) for c in range(1, k)] for a, b in zip(h, t)])
    gap = (w[:, None] * gaps).sum(0)
    maxwell = gap @ np.linalg.solve((w[:, None] * gaps).T @ (w[:, None] * gaps), gap)
    kish = w.sum() ** 2 / (w**2).sum()
    cumulated = [np.cumsum(p) for p in shares]
    # The paired t-test with a linearised error.
    error = np.sqrt(linearised(differences, w) * size / (size - 1))
    yield {
        "h": h.tolist(), "t": t.tolist(), "w": w.tolist(), "kish": kish,
        "metrics": {
            "accuracy": 1 - mean(abs(t - h)) / (k - 1), "exact": observed,
            "r": mean((h - mean(h)) * (t - mean(t))) / sd(h) / sd(t), "sd ratio": sd(t) / sd(h),
            "Glass": (mean(t) - mean(h)) / sd(h), "kappa": (observed - chance) / (1 - chance),
            "quadratic kappa": 1 - mean(((h - t) / (k - 1)) ** 2) / (np.outer(*shares) * cost).sum(),
            "TVD": abs(shares[0] - shares[1]).sum() / 2,
            "JSD": stats.entropy(sum(shares) / 2, base=2) - sum(entropy) / 2,
            "W1": stats.wasserstein_distance(h, t, w, w) / (k - 1), "KS": abs(cumulated[0] - cumulated[1]).max(),
            "entropy gap": (entropy[1] - entropy[0]) / np.log2(k),
        },
        "difference": mean(differences), "t_test": mean(differences) / error,
        "p": 2 * stats.t.sf(abs(mean(differences) / error), size - 1),
        "maxwell": maxwell, "maxwell_p": stats.chi2.sf(maxwell, k - 1),
    }


def calibration():
    """Repeats of twins as forecasts of what their people answer; scores of weighted people."""
    random = np.random.default_rng(20261130)
    size, k, repeats = 80, 4, 5
    taste = random.dirichlet(np.ones(k), size)
    answers = np.array([random.choice(k, p=p) for p in taste])
    said = np.array([random.choice(k, size=repeats, p=p) for p in taste])
    w = random.uniform(0.3, 2, size).round(2)
    counts = np.array([[(row == c).sum() for c in range(k)] for row in said])
    p = (counts + 0.5) / (repeats + k / 2)
    truth = np.eye(k)[answers]
    own = (w[:, None] * truth).sum(0) / w.sum()
    top, sure = p.argmax(1), p.max(1)
    right = (top == answers).astype(float)

    def binned(probability, so, weight):
        place = np.clip(np.ceil(probability * 10), 1, 10).astype(int) - 1
        for number in range(10):
            here = place == number
            kish = weight[here].sum() ** 2 / (weight[here] ** 2).sum() if here.any() else None
            observed = np.average(so[here], weights=weight[here]) if here.any() else None
            ends = proportion_confint(observed * kish, kish, method="wilson") if here.any() else (None, None)
            yield {
                "n": int(here.sum()), "observed": observed, "low": ends[0], "high": ends[1],
                "forecast": np.average(probability[here], weights=weight[here]) if here.any() else None,
            }

    likeliest = list(binned(sure, right, w))
    place = np.clip(np.ceil(sure * 10), 1, 10).astype(int) - 1
    gaps = [abs((w * (right - sure))[place == number].sum()) for number in range(10)]
    yield {
        "answers": (answers + 1).tolist(), "said": (said + 1).tolist(), "w": w.tolist(),
        "brier": np.average(((p - truth) ** 2).sum(1), weights=w),
        "log_loss": np.average(-np.log(p[np.arange(size), answers]), weights=w),
        "ranked": np.average(((p.cumsum(1) - truth.cumsum(1))[:, :-1] ** 2).sum(1) / (k - 1), weights=w),
        "ece": sum(gaps) / w.sum(), "brier_of_shares": np.average(((own - truth) ** 2).sum(1), weights=w),
        "options": list(binned(p.ravel(), truth.ravel(), np.repeat(w, k))), "likeliest": likeliest,
    }


every = (quantiles, groups, pairs, shares, tables, regressions, rectified, weighted_rectified, all_arms, drawn,
         weighted_metrics, calibration)
print(json.dumps({each.__name__: list(each()) for each in every}, separators=(",", ":"), default=float))

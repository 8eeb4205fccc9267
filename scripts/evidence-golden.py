"""Writes what scipy, statsmodels and ppi-python say about some data, which the crate `evidence` is tested against.

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
from statsmodels.stats.proportion import confint_proportions_2indep
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


every = (quantiles, groups, pairs, shares, tables, regressions, rectified)
print(json.dumps({each.__name__: list(each()) for each in every}, separators=(",", ":"), default=float))

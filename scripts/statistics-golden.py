"""Writes the results of scipy and statsmodels for some data, as golden values of crates/evidence.

    python3 -m venv venv && venv/bin/pip install scipy statsmodels
    venv/bin/python scripts/statistics-golden.py > crates/evidence/tests/golden/groups.json
"""

import json
import warnings

import numpy as np
from scipy import optimize, stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.oneway import anova_oneway
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

warnings.simplefilter("ignore")
random = np.random.default_rng(20261123)


def sample(values):
    return {"n": len(values), "mean": float(np.mean(values)), "sd": float(np.std(values, ddof=1))}


def noncentralities(cdf, start):
    """The noncentralities at which the statistic is at the upper and at the lower 2.5 % of its distribution; from 0 if start is 0."""
    def root(value):
        above = lambda noncentrality: cdf(noncentrality) - value
        low, high, width = start, start, 1.0
        while above(low) < 0:
            if start == 0:
                return 0.0
            low, width = low - width, 2 * width
        while above(high) > 0:
            high, width = high + width, 2 * width
        return optimize.brentq(above, low, high, xtol=1e-15, rtol=1e-14)

    return root(0.975), root(0.025)


def wilson():
    for count, n in [(0, 1), (1, 1), (0, 40), (40, 40), (3, 11), (412, 2000), (1999, 2000), (1, 2058)]:
        for level in (0.95, 0.9, 0.99):
            low, high = proportion_confint(count, n, 1 - level, "wilson")
            yield {"count": count, "n": n, "level": level, "low": max(0.0, low), "high": min(1.0, high)}


def means():
    for n in (2, 3, 10, 431, 2000):
        values = random.normal(4.2, 1.7, n)
        for level in (0.95, 0.999):
            low, high = stats.t.interval(level, n - 1, np.mean(values), stats.sem(values))
            yield {"sample": sample(values), "level": level, "low": low, "high": high}


def newcombe():
    for a, n, b, m in [(56, 70, 48, 80), (9, 10, 3, 10), (0, 12, 4, 15), (900, 1000, 850, 1058), (0, 5, 0, 7)]:
        low, high = confint_proportions_2indep(a, n, b, m, method="newcomb", compare="diff")
        yield {"counts": [a, n, b, m], "difference": a / n - b / m, "low": low, "high": high}


def tables():
    wide = random.multinomial(2000, [0.1, 0.2, 0.05, 0.15, 0.1, 0.2, 0.1, 0.1]).reshape(2, 4)
    strong = [[400, 10, 5], [20, 380, 30], [3, 15, 420]]
    for table in [[[10, 20], [30, 40]], [[5, 5], [5, 5]], [[3, 0, 9], [1, 0, 2]], wide.tolist(), strong, [[60, 40], [40, 60]]]:
        used = np.array(table)[:, np.sum(table, axis=0) > 0]
        result = stats.chi2_contingency(used, correction=False)
        v = float(stats.contingency.association(used, "cramer"))
        case = {"table": table, "statistic": result.statistic, "df": int(result.dof), "p": result.pvalue, "v": v}
        # Where many cells expect few answers, chi-squared is rough and has no interval; for a statistic of 0 there is none.
        if np.mean(result.expected_freq >= 5) >= 0.8 and result.statistic > 0:
            ends = noncentralities(lambda of: stats.ncx2.cdf(result.statistic, result.dof, of) if of else 1 - result.pvalue, 0)
            case["interval"] = [min(1, np.sqrt(end / (np.sum(used) * (min(used.shape) - 1)))) for end in ends]
        yield case


def pairs():
    cases = [([5, 6, 4, 7, 6, 5], [4, 5, 3, 4, 5]), ([1, 2], [1, 3])]
    for n, m, shift in [(12, 9, 0.0), (300, 1700, 0.3), (1000, 1000, 1.5), (2, 900, 0.2)]:
        cases.append((random.normal(0, 1, n), random.normal(shift, 2, m)))
    for a, b in cases:
        result = stats.ttest_ind(a, b, equal_var=False)
        interval = result.confidence_interval(0.95)
        n, m = len(a), len(b)
        pooled = np.sqrt(((n - 1) * np.var(a, ddof=1) + (m - 1) * np.var(b, ddof=1)) / (n + m - 2))
        unit = np.sqrt(np.var(a, ddof=1) / n + np.var(b, ddof=1) / m) / pooled
        ends = noncentralities(lambda of: stats.nct.cdf(result.statistic, result.df, of), result.statistic)
        yield {
            "a": sample(a), "b": sample(b), "t": result.statistic, "df": result.df, "p": result.pvalue,
            "difference": float(np.mean(a) - np.mean(b)), "low": interval.low, "high": interval.high,
            "d": float((np.mean(a) - np.mean(b)) / pooled), "interval": [end * unit for end in ends],
        }


def groups():
    for sizes, shift in [((8, 9, 10), 0.5), ((2, 3, 2, 5), 0.0), ((400, 500, 600, 300, 258), 0.2), ((500, 500), 0.9)]:
        data = [random.normal(shift * place, 1 + place / 3, n) for place, n in enumerate(sizes)]
        result = anova_oneway(data, use_var="unequal", welch_correction=True)
        whole = np.concatenate(data)
        between = sum(len(values) * (np.mean(values) - np.mean(whole)) ** 2 for values in data)
        eta_squared = between / np.sum((whole - np.mean(whole)) ** 2)
        n, k = len(whole), len(data)
        df = (result.df_num, result.df_denom)
        ends = noncentralities(lambda of: stats.ncf.cdf(result.statistic, *df, of) if of else 1 - result.pvalue, 0)
        # From Welch's F to the F of equal variances, which belongs to eta squared.
        scale = eta_squared / (k - 1) / ((1 - eta_squared) / (n - k)) / result.statistic
        ratios = [end * scale / n for end in ends]
        yield {
            "groups": [sample(values) for values in data], "f": result.statistic, "df1": result.df_num,
            "df2": result.df_denom, "p": result.pvalue, "etaSquared": eta_squared,
            "interval": [ratio / (1 + ratio) for ratio in ratios],
        }


def holm():
    for p in [[0.01, 0.04, 0.03, 0.005], [0.5], [0.9, 0.8, 0.7], [1e-12, 0.02, 0.02]]:
        yield {"p": p, "adjusted": multipletests(p, method="holm")[1].tolist()}


golden = {each.__name__: list(each()) for each in (wilson, means, newcombe, tables, pairs, groups, holm)}
print(json.dumps(golden, indent=1, default=float))

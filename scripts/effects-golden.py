"""Writes effects of arms by statsmodels, scipy and numpy's dense matrices, as golden values of the crate `evidence`.

    python3 -m venv venv && venv/bin/pip install scipy statsmodels
    venv/bin/python scripts/effects-golden.py > crates/evidence/tests/golden/effects.json
"""

import json

import numpy as np
import statsmodels.api as sm
from scipy import linalg, optimize, stats

random = np.random.default_rng(20261128)


def lin():
    """Regression on the arm, centred covariates and their products: statsmodels' HC2 with Student's t."""
    for n, m in [(40, 35), (150, 210)]:
        x = np.column_stack([random.normal(40, 12, n + m).round(1), random.integers(0, 2, n + m)])
        arm = np.repeat([1.0, 0.0], [n, m])
        y = (0.05 * x[:, 0] + 0.4 * x[:, 1] * arm + 0.3 * arm + random.normal(0, 1 + 0.5 * arm)).round(2)
        for weights in (np.ones(n + m), random.uniform(0.5, 2, n + m).round(2)):
            centred = x - np.average(x, axis=0, weights=weights)
            design = np.column_stack([np.ones(n + m), arm, centred, arm[:, None] * centred])
            root = np.sqrt(weights)[:, None]
            fit = sm.OLS(y * root[:, 0], design * root).fit(cov_type="HC2", use_t=True)
            low, high = fit.conf_int(0.05)[1]
            yield {
                "first": {"y": y[:n].tolist(), "x": x[:n].tolist(), "w": weights[:n].tolist()},
                "second": {"y": y[n:].tolist(), "x": x[n:].tolist(), "w": weights[n:].tolist()},
                "difference": fit.params[1], "error": fit.bse[1], "df": fit.df_resid, "p": fit.pvalues[1], "low": low,
                "high": high,
            }


def inverse_root(matrix):
    """The root of Moore and Penrose's inverse."""
    values, vectors = linalg.eigh(matrix)
    roots = np.array([1 / np.sqrt(value) if value > 1e-10 else 0.0 for value in values])
    return vectors @ np.diag(roots) @ vectors.T


def clustered():
    """CR2 with Satterthwaite's degrees of freedom, written out with matrices of all rows."""
    for people, crossed in [(14, False), (40, False), (25, True)]:
        ids, arm, y = [], [], []
        for person in range(people):
            own = random.normal(0, 0.8)
            for row in range(int(random.integers(1, 5))):
                ids.append(f"p{person}")
                arm.append(float((person + row * crossed) % 2))
                y.append(round(3 + own + 0.4 * arm[-1] + random.normal(0, 1), 2))
        for weights in (np.ones(len(y)), random.uniform(0.5, 2, len(y)).round(2)):
            root = np.sqrt(weights)
            x = np.column_stack([np.ones(len(y)), arm]) * root[:, None]
            outcome = np.array(y) * root
            bread = linalg.inv(x.T @ x)
            beta = bread @ x.T @ outcome
            hat = x @ bread @ x.T
            residuals = outcome - x @ beta
            rest = np.eye(len(y)) - hat
            meat, loadings = np.zeros((2, 2)), []
            for person in dict.fromkeys(ids):
                rows = np.array([id == person for id in ids])
                adjust = inverse_root(rest[np.ix_(rows, rows)])
                score = x[rows].T @ adjust @ residuals[rows]
                meat += np.outer(score, score)
                loadings.append(rest[:, rows] @ adjust @ x[rows] @ bread[:, 1])
            covariances = np.array([[a @ b for b in loadings] for a in loadings])
            df = np.trace(covariances) ** 2 / (covariances**2).sum()
            error = np.sqrt((bread @ meat @ bread)[1, 1])
            half = stats.t.ppf(0.975, df) * error
            yield {
                "ids": ids, "arm": arm, "y": y, "w": weights.tolist(), "difference": beta[1], "error": error, "df": df,
                "p": 2 * stats.t.sf(abs(beta[1] / error), df), "low": beta[1] - half, "high": beta[1] + half,
            }


def squared(values):
    return np.var(values) / len(values)


def estimators():
    """The estimators of an arm's effect, with the weights that scipy finds by minimising the variance in the square."""
    for n, m, more, quality in [(60, 50, 300, (0.8, 0.3)), (120, 150, 100, (0.5, -0.2)), (40, 40, 2000, (0.95, 0.9))]:
        def pair(size, rho):
            y = random.normal(3, 1, size)
            return y.round(2), (rho * y + np.sqrt(1 - rho**2) * random.normal(0.3, 1, size)).round(2)

        (y, f), (z, g) = pair(n, quality[0]), pair(m, quality[1])
        shared = random.normal(0, 1, more)
        a = (shared + random.normal(0, 0.5, more)).round(2)
        b = (0.8 * shared + random.normal(0.2, 0.6, more)).round(2)
        parts = [np.cov(y, f, ddof=0)[0, 1] / n, np.cov(z, g, ddof=0)[0, 1] / m]

        def dip(lambdas):
            one, two = lambdas
            return squared(one * a - two * b) + squared(y - one * f) + squared(z - two * g)

        def split(lambdas):
            one, two = lambdas
            return squared(one * a) + squared(two * b) + squared(y - one * f) + squared(z - two * g)

        def estimate(lambdas):
            one, two = lambdas
            return one * a.mean() - two * b.mean() + (y - one * f).mean() - (z - two * g).mean()

        def least(variance, one=False):
            found = optimize.minimize(
                (lambda at: variance((at[0], at[0])) * 1e4) if one else (lambda at: variance(at) * 1e4),
                [0.5] if one else [0.5, 0.5], bounds=[(0, 1)] * (1 if one else 2), method="L-BFGS-B",
                options={"ftol": 1e-15, "gtol": 1e-12},
            ).x
            return [found[0], found[-1]]

        # PPI++ pools the variance of all twins with ddof 1, as ppi-python does.
        spread = [
            np.var(np.concatenate([f, a]), ddof=1) * (1 + n / more) / n,
            np.var(np.concatenate([g, b]), ddof=1) * (1 + m / more) / m,
        ]
        clip = lambda value: float(np.clip(value, 0, 1))
        tuned = clip(sum(parts) / sum(spread))
        by_arm = [clip(part / of) for part, of in zip(parts, spread)]
        figure = lambda name, lambdas, variance: {
            "name": name, "lambdas": list(lambdas), "estimate": estimate(lambdas), "variance": variance(lambdas),
        }
        yield {
            "first": [y.tolist(), f.tolist(), a.tolist()], "second": [z.tolist(), g.tolist(), b.tolist()],
            "split": [
                figure("difference in means", (0, 0), split), figure("GREG", (1, 1), split),
                figure("PPI++", (tuned, tuned), split), figure("D-T", by_arm, split),
            ],
            "all": [
                figure("difference in means", (0, 0), dip), figure("DiP", (1, 1), dip),
                figure("DiP++", least(dip, one=True), dip), figure("D-T DiP", least(dip), dip),
            ],
        }


if __name__ == "__main__":
    found = {"lin": list(lin()), "clustered": list(clustered()), "estimators": list(estimators())}
    print(json.dumps(found, separators=(",", ":")))

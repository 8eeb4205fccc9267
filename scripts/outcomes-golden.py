"""Writes Cronbach's alpha and McDonald's omega of drawn scales, as golden values of the crate `evidence`.

    python3 -m venv venv && venv/bin/pip install numpy scipy
    venv/bin/python scripts/outcomes-golden.py > crates/evidence/tests/golden/outcomes.json

Omega has the loadings of one factor of least squared residual correlations (minres), which principal axes find too.
"""

import json

import numpy as np
from scipy import optimize

random = np.random.default_rng(20261128)


def minres(correlations):
    """The loadings whose products are nearest to the correlations off the diagonal."""
    off = ~np.eye(len(correlations), dtype=bool)

    def residuals(loadings):
        return (correlations - np.outer(loadings, loadings))[off]

    found = optimize.least_squares(residuals, np.full(len(correlations), 0.5), xtol=1e-15, ftol=1e-15, gtol=1e-15)
    return found.x


def scales():
    for n, loadings in [(60, (0.8, 0.7, 0.6)), (300, (0.9, 0.5, 0.6, 0.7, 0.4)), (150, (0.5, 0.5, 0.5, 0.5))]:
        factor = random.normal(0, 1, (n, 1))
        loadings = np.array(loadings)
        answers = factor * loadings + random.normal(0, 1, (n, len(loadings))) * np.sqrt(1 - loadings**2)
        answers = np.clip(np.round(4 + 1.5 * answers), 1, 7)
        covariance = np.cov(answers.T)
        k = len(loadings)
        alpha = k / (k - 1) * (1 - np.trace(covariance) / covariance.sum())
        sd = np.sqrt(np.diag(covariance))
        found = minres(np.corrcoef(answers.T))
        common = (found * sd).sum() ** 2
        unique = ((1 - found**2) * sd**2).sum()
        yield {"rows": answers.tolist(), "alpha": alpha, "omega": common / (common + unique)}


if __name__ == "__main__":
    print(json.dumps({"scales": list(scales())}, separators=(",", ":")))

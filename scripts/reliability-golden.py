"""Writes the results of krippendorff and statsmodels for repeated answers without an order, as golden values of
`evidence::reliability`.

    python3 -m venv venv && venv/bin/pip install krippendorff statsmodels
    venv/bin/python scripts/reliability-golden.py > crates/evidence/tests/golden/reliability.json
"""

import json

import krippendorff
import numpy as np
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

random = np.random.default_rng(20261127)


def cases():
    for twins, repeats, options, kept in [(12, 2, 3, 0.5), (40, 3, 4, 0.8), (200, 5, 3, 0.2), (30, 4, 6, 0.0)]:
        own = random.integers(1, options + 1, (twins, 1))
        other = random.integers(1, options + 1, (twins, repeats))
        rows = np.where(random.random((twins, repeats)) < kept, own, other)
        yield {
            "rows": rows.tolist(),
            "alpha": float(krippendorff.alpha(reliability_data=rows.T, level_of_measurement="nominal")),
            "fleiss_kappa": float(fleiss_kappa(aggregate_raters(rows)[0])),
        }


print(json.dumps(list(cases())))

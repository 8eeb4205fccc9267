"""Writes the results of the formulas of Twin-2K-500's own evaluation for invented answers, as golden values of
`evidence::validation`: accuracy by person and task, ratios to the ceiling, correlations and spreads, and ridge regressions, in plain
numpy.

    python3 scripts/validation-golden.py > crates/evidence/tests/golden/validation.json
"""

import json

import numpy as np

random = np.random.default_rng(20261126)
PEOPLE = 40
# Task, lowest and highest answer, number of the pooled tenths.
ITEMS = [(0, 1, 5, None), (0, 1, 5, None), (1, 0, 100, None), (1, 1, 2, None), (2, 1, 10, 0), (2, 1, 10, 0)]


def draw(task, low, high, tenths):
    latent = random.normal(0, 1, PEOPLE)

    def answers(weight):
        z = weight * latent + random.normal(0, 0.6, PEOPLE)
        if tenths is not None:
            return np.round(np.exp(3 + z))
        return np.clip(np.round((low + high) / 2 + z * (high - low) / 4), low, high)

    columns = [answers(1.0), answers(1.0), answers(0.5), answers(0.0)]
    for column, missing in zip(columns, (0.1, 0.15, 0.05, 0.0)):
        column[random.random(PEOPLE) < missing] = np.nan
    return columns


def deciles(values):
    return np.percentile(values[~np.isnan(values)], np.arange(10, 100, 10))


def tenth(value, edges):
    return np.nan if np.isnan(value) else 1 + sum(value > edges)


data = [draw(*item) for item in ITEMS]
pooled = {}
for (task, _, _, number), (first, *_) in zip(ITEMS, data):
    if number is not None:
        pooled.setdefault((task, number), []).append(first)
edges = {key: deciles(np.concatenate(values)) for key, values in pooled.items()}


def on_scale(item, column):
    task, low, high, number = item
    if number is None:
        return column
    return np.array([tenth(value, edges[task, number]) for value in column])


def figures(arm):
    tasks = {task: [[] for _ in range(PEOPLE)] for task in range(3)}
    exact = {task: [[] for _ in range(PEOPLE)] for task in range(3)}
    rs, ns, ratios, deltas = [], [], [], []
    for item, columns in zip(ITEMS, data):
        first, second, said = columns[0], columns[1], columns[arm]
        valid = ~np.isnan(first) & ~np.isnan(second) & ~np.isnan(said)
        h, t = on_scale(item, first), on_scale(item, said)
        for person in np.flatnonzero(valid):
            tasks[item[0]][person].append(1 - abs(h[person] - t[person]) / (item[2] - item[1]))
            exact[item[0]][person].append(float(first[person] == said[person]))
        h, t = h[valid], t[valid]
        rs.append(np.corrcoef(h, t)[0, 1] if h.std() > 0 and t.std() > 0 else 0.0)
        ns.append(len(h))
        ratios.append(t.std() / h.std())
        deltas.append(abs(t.mean() - h.mean()) / h.std())

    def by_person(of):
        means = [[np.mean(of[task][person]) for task in range(3) if of[task][person]] for person in range(PEOPLE)]
        return float(np.mean([np.mean(of_person) for of_person in means if of_person]))

    z = np.arctanh(np.clip(rs, -0.9999, 0.9999))
    return {
        "accuracy": by_person(tasks), "exact": by_person(exact), "r": float(np.tanh(np.average(z, weights=ns))),
        "sd_ratio": float(np.mean(ratios)), "glass": float(np.mean(deltas)),
        "tasks": [float(np.mean([value for person in tasks[task] for value in person])) for task in range(3)],
    }


def cramers_v():
    for rows, columns, n in [(2, 3, 60), (4, 4, 200), (3, 2, 40)]:
        table = random.multinomial(n, random.dirichlet(np.ones(rows * columns))).reshape(rows, columns).astype(float)
        expected = np.outer(table.sum(1), table.sum(0)) / n
        phi = np.nansum((table - expected) ** 2 / np.where(expected > 0, expected, np.nan)) / n
        phi = max(0, phi - (rows - 1) * (columns - 1) / (n - 1))
        r, k = rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1)
        yield {"table": table.tolist(), "v": float(np.sqrt(phi / min(r - 1, k - 1)))}


def ridge():
    for people, penalty in [(60, 30.0), (25, 5.0)]:
        demographics = np.column_stack([random.choice(["a", "b", "c", ""], people), random.choice(["x", "y"], people)])
        folds = random.permutation(np.arange(people) % 5)
        answered = np.flatnonzero(random.random(people) < 0.9)
        y = random.normal(3, 1, people) + (demographics[:, 0] == "a") - 0.5 * (demographics[:, 1] == "y")
        x = np.column_stack([demographics[:, k] == v for k in (0, 1) for v in np.unique(demographics[:, k])]).astype(float)
        predicted = np.full(people, np.nan)
        for fold in range(5):
            train = answered[folds[answered] != fold]
            test = answered[folds[answered] == fold]
            centre, mean = x[train].mean(0), y[train].mean()
            own = x[train] - centre
            b = np.linalg.solve(own.T @ own + penalty * np.eye(x.shape[1]), own.T @ (y[train] - mean))
            predicted[test] = mean + (x[test] - centre) @ b
        yield {
            "demographics": demographics.tolist(), "folds": folds.tolist(), "people": answered.tolist(),
            "said": y[answered].tolist(), "penalty": penalty, "predicted": predicted[answered].tolist(),
        }


arms = [figures(arm) for arm in (1, 2, 3)]
for arm in arms:
    arm["of_ceiling"] = float(np.mean([a / c for a, c in zip(arm["tasks"], arms[0]["tasks"])]))
listed = [[[None if np.isnan(v) else v for v in column] for column in columns] for columns in data]
items = [{"task": t, "min": low, "max": high, "tenths": n} for t, low, high, n in ITEMS]
golden = {"people": PEOPLE, "items": items, "columns": listed, "arms": arms, "cramers_v": list(cramers_v())}
print(json.dumps({**golden, "ridge": list(ridge())}))

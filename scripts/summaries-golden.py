"""Writes answers to sums, rankings, best and worst choices and matrices of several labels, with the results of numpy and
scipy, as golden values of the back end's summaries.

    python3 -m venv venv && venv/bin/pip install scipy
    venv/bin/python scripts/summaries-golden.py > backend/tests/fixtures/summaries.json
"""

import json

import numpy as np
from scipy import stats

random = np.random.default_rng(20261125)
TWINS = 40
OPTIONS = ["Rent", "Food", "Fun", "Travel"]
ROWS = ["Phone", "Television"]
LABELS = ["Morning", "Noon", "Evening"]


def sums():
    for weights in random.dirichlet([4, 3, 2, 1], TWINS):
        parts = np.floor(weights * 100)
        parts[0] += 100 - parts.sum()
        yield dict(zip(OPTIONS, map(int, parts)))


def rankings():
    for scores in random.normal([1.5, 1, 0.5, 0], 1, (TWINS, 4)):
        yield [OPTIONS[place] for place in np.argsort(-scores)]


def ends():
    for scores in random.normal([1.5, 1, 0.5, 0], 1, (TWINS, 4)):
        yield {"best": OPTIONS[int(np.argmax(scores))], "worst": OPTIONS[int(np.argmin(scores))]}


def several():
    for chosen in random.random((TWINS, 2, 3)) < 0.5:
        # Nobody chooses nothing.
        chosen[:, 2] |= ~chosen.any(axis=1)
        yield {row: [label for label, on in zip(LABELS, each) if on] for row, each in zip(ROWS, chosen)}


def figures(values):
    values = np.asarray(values, dtype=float)
    described = stats.describe(values)
    return {"n": len(values), "mean": float(described.mean), "sd": float(np.sqrt(described.variance))}


def shares(values, of):
    return [float(np.mean([value == each for value in values])) for each in of]


def chosen(answers, row, label):
    return float(np.mean([label in answer[row] for answer in answers]))


def golden():
    answers = {"sums": list(sums()), "rankings": list(rankings()), "ends": list(ends()), "several": list(several())}
    ranks = {each: [answer.index(each) + 1 for answer in answers["rankings"]] for each in OPTIONS}
    scores = {
        each: [(answer["best"] == each) - (answer["worst"] == each) for answer in answers["ends"]] for each in OPTIONS
    }
    return {
        "options": OPTIONS,
        "rows": ROWS,
        "labels": LABELS,
        "answers": answers,
        "expected": {
            "sums": {each: figures([answer[each] for answer in answers["sums"]]) for each in OPTIONS},
            "rankings": {each: figures(ranks[each]) | {"shares": shares(ranks[each], range(1, 5))} for each in OPTIONS},
            "ends": {each: figures(scores[each]) | {"shares": shares(scores[each], [1, 0, -1])} for each in OPTIONS},
            "several": {
                row: {"n": TWINS, "shares": [chosen(answers["several"], row, label) for label in LABELS]} for row in ROWS
            },
        },
    }


print(json.dumps(golden(), indent=1))

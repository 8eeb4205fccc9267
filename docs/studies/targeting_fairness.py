"""Is it fairer to show an advertisement to women alone? The study's main contrast, from a file that Qualtrics exported.

    python3 targeting_fairness.py response.csv

The same script reads the answers of people (`response.csv` of the study) and those of digital twins
(`qualtrics.csv` of a simulation).
"""

import csv
import math
import statistics
import sys

ARM = "FL_491_DO"
BROAD, FEMALE = "FL_493", "FL_497"
OUTCOME = "fair1"


def responses(path):
    """The finished responses of an export with three rows of heads."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    names, answers = rows[0], rows[3:]
    return [row for row in (dict(zip(names, answer)) for answer in answers) if row["Finished"] == "1"]


def welch(one, other):
    """Welch's t for the difference of two means, with its degrees of freedom."""
    a, b = (statistics.variance(group) / len(group) for group in (one, other))
    t = (statistics.mean(one) - statistics.mean(other)) / math.sqrt(a + b)
    return t, (a + b) ** 2 / (a**2 / (len(one) - 1) + b**2 / (len(other) - 1))


def main(path):
    rows = responses(path)
    scores = {
        arm: [float(row[OUTCOME]) for row in rows if row[ARM] == arm and row[OUTCOME]] for arm in (BROAD, FEMALE)
    }
    female, broad = scores[FEMALE], scores[BROAD]
    t, df = welch(female, broad)
    for name, group in (("broad", broad), ("female", female)):
        print(f"{name}: n = {len(group)}, M = {statistics.mean(group):.4f}, SD = {statistics.stdev(group):.4f}")
    print(f"female - broad: {statistics.mean(female) - statistics.mean(broad):.4f}, t({df:.2f}) = {t:.4f}")


if __name__ == "__main__":
    main(sys.argv[1])

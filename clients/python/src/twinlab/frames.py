"""Answers as pandas frames."""

import pandas


def with_attributes(frame):
    """The frame with a column for each attribute in place of the one that holds them all."""
    if "attributes" not in frame:
        return frame
    attributes = pandas.DataFrame(frame["attributes"].tolist(), index=frame.index)
    # An attribute that is called like a column of ours stays apart from it.
    attributes = attributes.rename(columns={name: f"{name} (attribute)" for name in attributes if name in frame})
    return pandas.concat([frame.drop(columns="attributes"), attributes], axis=1)


def wide(rows, names):
    """A row a twin: who it is, its attributes, then its answers, typed.

    `names`: the variables' names by the question's id. A question without one is Q1, Q2 and so on, by its place; an
    attribute that is called like an answer stays apart from it.
    """
    twins = with_attributes(
        pandas.DataFrame([{name: value for name, value in row.items() if name != "answers"} for row in rows])
    )
    answers = pandas.DataFrame(
        [
            {names.get(cell["questionId"]) or f"Q{number}": cell["answerValue"] for number, cell in enumerate(row["answers"], 1)}
            for row in rows
        ],
        index=twins.index,
    )
    twins = twins.rename(columns={name: f"{name} (attribute)" for name in twins if name in answers})
    return pandas.concat([twins, answers], axis=1)

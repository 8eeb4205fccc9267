"""Answers as pandas frames."""

import pandas


def with_attributes(frame):
    """Replaces the column of all attributes by a column for each."""
    if "attributes" not in frame:
        return frame
    attributes = pandas.DataFrame(frame["attributes"].tolist(), index=frame.index)
    # An attribute with the name of a column gets another name.
    attributes = attributes.rename(columns={name: f"{name} (attribute)" for name in attributes if name in frame})
    return pandas.concat([frame.drop(columns="attributes"), attributes], axis=1)


def tests(questions):
    """A row a test of the questions of a summary or of a comparison of runs."""
    return pandas.DataFrame(
        [
            {"questionId": question["questionId"], "question": question["text"], **test}
            for question in questions
            for test in question["tests"]
        ]
    )


def wide(rows, names):
    """Returns a row for each twin: its ids, its attributes, then its typed answers.

    `names` are the variables' names by the question's id. A question without one is Q1, Q2 and so on, by its position; an
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

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


def wide(rows):
    """A row a twin: who it is, its attributes, then its answers as Q1, Q2 and so on, typed."""
    flat = [
        {
            **{name: value for name, value in row.items() if name != "answers"},
            **{f"Q{number}": cell["answerValue"] for number, cell in enumerate(row["answers"], 1)},
        }
        for row in rows
    ]
    frame = with_attributes(pandas.DataFrame(flat))
    answers = [name for name in frame if name.startswith("Q") and name[1:].isdigit()]
    return frame[[name for name in frame if name not in answers] + answers]

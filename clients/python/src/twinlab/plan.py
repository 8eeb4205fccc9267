"""What a study commits to before its answers are looked at."""

import pandas

from . import _core


class Plan:
    def __init__(self, connection, id):
        self._connection = connection
        self.id = id

    def __repr__(self):
        return f"<Plan {self.id}>"

    def facts(self):
        """The plan as it is now: `document`, `frozen`, `hidden`, `deviations` and so on."""
        return _core.show_plan(self._connection, self.id)

    def save(self, **document):
        """Saves the draft; fields that are not given stay."""
        _core.save_plan(self._connection, self.id, {**self.facts()["document"], **document})
        return self

    def freeze(self):
        """From now on nothing of it can be changed."""
        _core.freeze_plan(self._connection, self.id)
        return self

    def deviations(self):
        """What was done otherwise, a row each."""
        columns = ["id", "at", "who", "field", "before", "after", "reason", "reasonAt"]
        return pandas.DataFrame(self.facts()["deviations"], columns=columns)

    def markdown(self):
        """The frozen plan with its deviations as text, for a registry."""
        return _core.plan_markdown(self._connection, self.id).content.decode()

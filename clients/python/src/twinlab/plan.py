"""Plans: preregistrations of studies."""

import pandas

from . import _core


class Plan:
    def __init__(self, connection, id):
        self._connection = connection
        self.id = id

    def __repr__(self):
        return f"<Plan {self.id}>"

    def facts(self):
        """Returns the current plan: `document`, `frozen`, `hidden`, `deviations` and so on."""
        return _core.show_plan(self._connection, self.id)

    def save(self, **document):
        """Saves the draft. Fields that are not given keep their values."""
        _core.save_plan(self._connection, self.id, {**self.facts()["document"], **document})
        return self

    def freeze(self):
        """Freezes the plan: it cannot be changed any more."""
        _core.freeze_plan(self._connection, self.id)
        return self

    def deviations(self):
        """Returns the deviations, one in each row."""
        columns = ["id", "at", "who", "field", "before", "after", "reason", "reasonAt"]
        return pandas.DataFrame(self.facts()["deviations"], columns=columns)

    def markdown(self):
        """Returns the frozen plan with its deviations as Markdown, for a registry."""
        return _core.plan_markdown(self._connection, self.id).content.decode()

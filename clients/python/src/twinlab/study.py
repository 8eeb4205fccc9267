"""Runs of one survey over the same twins that were started together."""

import pandas

from . import _core
from .plan import Plan
from .run import Run


class Study:
    def __init__(self, connection, facts):
        self._connection = connection
        self.id = facts["studyId"]
        self.runs = [Run(connection, run) for run in facts["runs"]]

    def __repr__(self):
        return f"<Study {self.id} of {len(self.runs)} runs>"

    def facts(self):
        """Returns the current study with its runs."""
        return _core.show_study(self._connection, self.id)

    def wait(self, progress=True):
        """Waits for the end of all runs."""
        for run in self.runs:
            run.wait(progress=progress)
        return self

    def cells(self):
        """Returns a row for each run, with its differences from the others."""
        rows = []
        for run in self.facts()["runs"]:
            parameters, cell = run["parameters"], run["parameters"].get("cell", {})
            rows.append(
                {
                    "run": run["simulationId"],
                    "personaVariant": parameters["personaVariant"],
                    "model": parameters["model"],
                    "optionOrder": cell.get("optionOrder", "as_written"),
                    "repeat": cell.get("repeat", 0),
                    **cell.get("arms", {}),
                }
            )
        return pandas.DataFrame(rows)

    def answers(self):
        """Returns the answers of all runs: a row for each request, with the differences of its run."""
        cells = self.cells()
        frames = [run.answers().assign(**cell) for run, cell in zip(self.runs, cells.to_dict("records"), strict=True)]
        return pandas.concat(frames, ignore_index=True)

    def comparison(self, reference=None):
        """Compares every run with the reference, a run or its id (by default the first), over the same twins."""
        reference = reference.id if isinstance(reference, Run) else reference
        return _core.compare_runs(self._connection, self.id, reference=reference)

    def people(self, sample=None, reference=None):
        """Compares the twins with people: the survey's newest sample, or the one with this id."""
        reference = reference.id if isinstance(reference, Run) else reference
        return _core.compare_study_with_sample(self._connection, self.id, reference=reference, sample=sample)

    def validation(self):
        """Returns the figures of a validation: every arm against people's first answers, tasks, verdicts and leaks."""
        return _core.show_validation(self._connection, self.id)

    def calibration(self):
        """Returns the calibration of a validation's repeats: scores and bins. None without repeats."""
        return _core.show_validation_calibration(self._connection, self.id)["calibration"]
    def plan(self):
        """Returns the plan that the study follows, or `None`."""
        facts = self.facts()["plan"]
        return None if facts is None else Plan(self._connection, facts["planId"])

    def freeze(self, **document):
        """Freezes the study's plan: its draft, or the given fields (`title`, `primaryItems` .. as in the API)."""
        return Plan(self._connection, _core.freeze_study(self._connection, self.id, document or None)["planId"])

    def pause(self):
        return _core.pause_study(self._connection, self.id)

    def resume(self):
        return _core.resume_study(self._connection, self.id)

    def stop(self):
        return _core.stop_study(self._connection, self.id)

    def retry_failed(self):
        """Asks the failed requests of all runs again. Call `wait()` for their end."""
        return _core.retry_failed_of_study(self._connection, self.id)

    def go_on(self):
        """Asks the requests that a stop left open in all runs. Call `wait()` for their end."""
        return _core.continue_study(self._connection, self.id)

    def rename(self, name=None, note=None):
        """Sets the name or the note of the study. Missing arguments change nothing; an empty text removes."""
        given = {"name": name, "note": note}
        body = {field: text for field, text in given.items() if text is not None}
        return _core.name_study(self._connection, self.id, body)

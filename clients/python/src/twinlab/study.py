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
        """The study as it is now, with its runs."""
        return _core.show_study(self._connection, self.id)

    def wait(self, progress=True):
        """Waits for the end of all runs."""
        for run in self.runs:
            run.wait(progress=progress)
        return self

    def cells(self):
        """A row a run: what sets it apart from the others."""
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
        """The answers of all runs, a row a request, with what sets its run apart."""
        cells = self.cells()
        frames = [run.answers().assign(**cell) for run, cell in zip(self.runs, cells.to_dict("records"), strict=True)]
        return pandas.concat(frames, ignore_index=True)

    def comparison(self, reference=None):
        """Every run beside the reference, a run or its id (by default the first): figures of the same twins in both."""
        reference = reference.id if isinstance(reference, Run) else reference
        return _core.compare_runs(self._connection, self.id, reference=reference)

    def people(self, sample=None, reference=None):
        """The twins beside people whose answers are kept: the survey's newest sample, or the one of this id."""
        reference = reference.id if isinstance(reference, Run) else reference
        return _core.compare_study_with_sample(self._connection, self.id, reference=reference, sample=sample)

    def validation(self):
        """What a validation found: every arm against what people answered first, tasks, verdicts and leaks."""
        return _core.show_validation(self._connection, self.id)

    def calibration(self):
        """How far a validation's repeats can be believed as forecasts: scores and the chart's bins; None without repeats."""
        return _core.show_validation_calibration(self._connection, self.id)["calibration"]
    def plan(self):
        """The plan that the study follows; `None` where it has none."""
        facts = self.facts()["plan"]
        return None if facts is None else Plan(self._connection, facts["planId"])

    def freeze(self, **document):
        """Freezes the study's plan: its draft, or what is given (`title`, `primaryItems` .. as the API names them)."""
        return Plan(self._connection, _core.freeze_study(self._connection, self.id, document or None)["planId"])

    def pause(self):
        return _core.pause_study(self._connection, self.id)

    def resume(self):
        return _core.resume_study(self._connection, self.id)

    def stop(self):
        return _core.stop_study(self._connection, self.id)

    def retry_failed(self):
        """Asks what failed in any run again; `wait()` for it."""
        return _core.retry_failed_of_study(self._connection, self.id)

    def go_on(self):
        """Asks what a stop left open in any run; `wait()` for it."""
        return _core.continue_study(self._connection, self.id)

    def rename(self, name=None, note=None):
        """Names the study or notes something down of it. What is not given stays; an empty text removes."""
        given = {"name": name, "note": note}
        body = {field: text for field, text in given.items() if text is not None}
        return _core.name_study(self._connection, self.id, body)

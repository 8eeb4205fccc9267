"""A run of a survey over digital twins."""

import json
import time
import warnings
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pandas
from tqdm.auto import tqdm

from . import _core
from .connection import TwinlabError, reachable
from .frames import tests as tests_frame
from .frames import wide as wide_frame
from .frames import with_attributes

OVER = {"COMPLETED", "FAILED", "STOPPED"}
FORMATS = {
    ".csv": _core.export_answers_as_csv,
    ".xlsx": _core.export_answers_as_workbook,
    ".jsonl": _core.export_answers_as_json_lines,
    ".parquet": _core.export_answers_as_parquet,
    ".sav": _core.export_wide_for_spss,
    ".dta": _core.export_wide_for_stata,
    ".zip": _core.export_bundle,
}
SECONDS_BETWEEN_LOOKS = 1.0


class RunPaused(TwinlabError):
    """The run is paused for the reason in the message. `run.resume().wait()` continues it."""


class Run:
    def __init__(self, connection, facts):
        self._connection = connection
        self.id = facts["simulationId"]
        self.survey_id = facts["surveyId"]

    def __repr__(self):
        return f"<Run {self.id} of survey {self.survey_id}>"

    def facts(self):
        """Returns all facts of the run: parameters, hashes, counts, times."""
        return _core.show_simulation(self._connection, self.id)

    def wait(self, progress=True):
        """Waits for the end of the run, and warns if requests failed."""
        with tqdm(desc="answers", unit="", disable=not progress) as bar:
            while True:
                now = _core.progress(self._connection, self.id)
                bar.total = now["totalRequests"]
                bar.update(now["successfulRequests"] + now["failedRequests"] - bar.n)
                if now["status"] == "PAUSED":
                    raise RunPaused(409, now.get("errorMessage") or "the run was paused")
                if now["status"] in OVER:
                    break
                time.sleep(SECONDS_BETWEEN_LOOKS)
        if now["failedRequests"]:
            warnings.warn(now.get("errorMessage") or f"{now['failedRequests']} requests failed", stacklevel=2)
        return self

    def answers(self, wide=False):
        """Returns the answers as a frame: a row for each request with its provenance or, if `wide`, a row for each twin.

        The columns of a wide frame have the names of the survey's variables.
        """
        if wide:
            rows = _core.matrix_of_answers(self._connection, self.survey_id, self.id)
            return wide_frame(rows, self._names() if rows else {})
        answer = _core.export_answers_as_json_lines(self._connection, self.survey_id, self.id)
        answer.encoding = "utf-8"
        with reachable(self._connection.base):
            return pandas.DataFrame([json.loads(line) for line in answer.iter_lines() if line])

    def _names(self):
        """Returns the names of the run's variables by the question's id."""
        try:
            return {each["id"]: each["name"] for each in _core.list_questions(self._connection, self.survey_id)}
        except TwinlabError as refused:
            if refused.status != 404:
                raise
            # The survey was deleted; its runs stay.
            return {}

    def personas(self):
        """Returns the twins of the run, with pid and attributes as they were at its start."""
        return with_attributes(pandas.DataFrame(_core.list_simulation_personas(self._connection, self.id)))

    def prompt(self, persona, question):
        """Returns the exact prompt of the answer of a persona to a question (both by id)."""
        return _core.show_prompt(self._connection, self.id, persona, question)

    def people(self, sample=None):
        """Compares the twins with people: the survey's newest sample, or the one with this id."""
        return _core.compare_with_sample(self._connection, self.survey_id, self.id, sample=sample)

    def summary(self, by=None, where=()):
        """The figures of every question: shares and means with intervals, and with `by` the groups, their differences and tests."""
        return _core.summarize_answers(self._connection, self.survey_id, self.id, by=by, where=list(where) or None)

    def tests(self, by, where=()):
        """Whether the groups differ: a row a test, with p as found and as adjusted, the adjustment and the verdict."""
        return tests_frame(self.summary(by, where)["questions"])

    def compare(self, *others):
        """The answers of this run beside those of one to three others, question by question; see `tests` of each question."""
        ids = ",".join(getattr(other, "id", other) for other in others)
        return _core.compare_simulations(self._connection, self.survey_id, self.id, ids)

    def save(self, path):
        """Saves the answers as .csv, .xlsx, .jsonl or .parquet, by twin as .sav or .dta, or the bundle as .zip."""
        path = Path(path)
        if path.suffix not in FORMATS:
            raise ValueError(f"{path}: the name must end in {', '.join(sorted(FORMATS))}")
        return self._connection.save(FORMATS[path.suffix](self._connection, self.survey_id, self.id), path)

    def share(self, days=30):
        """Creates a read-only link to the results that expires after `days`, and returns its address."""
        end = datetime.now(timezone.utc) + timedelta(days=days)
        link = _core.share_simulation(self._connection, self.id, {"expiresAt": end.isoformat()})
        return self._connection.base.removesuffix("/api") + link["path"]

    def pause(self):
        _core.pause_simulation(self._connection, self.id)
        return self

    def resume(self):
        _core.resume_simulation(self._connection, self.id)
        return self

    def stop(self):
        _core.stop_simulation(self._connection, self.id)
        return self

    def retry_failed(self):
        """Asks the failed requests again. Call `wait()` for their end."""
        _core.retry_failed(self._connection, self.id, {"surveyId": self.survey_id})
        return self

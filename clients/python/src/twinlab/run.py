"""A run of a survey over digital twins."""

import json
import time
import warnings
from pathlib import Path

import pandas
from tqdm.auto import tqdm

from .connection import TwinlabError
from .frames import wide as wide_frame
from .frames import with_attributes

OVER = {"COMPLETED", "FAILED", "STOPPED"}
FORMATS = {".csv", ".xlsx", ".jsonl"}
SECONDS_BETWEEN_LOOKS = 1.0


class RunPaused(TwinlabError):
    """The run is paused; the message says why. `run.resume().wait()` goes on."""


class Run:
    def __init__(self, connection, facts):
        self._connection = connection
        self.id = facts["simulationId"]
        self.survey_id = facts["surveyId"]

    def __repr__(self):
        return f"<Run {self.id} of survey {self.survey_id}>"

    def facts(self):
        """Everything about the run: parameters, hashes, counts, times."""
        return self._connection.get(f"/simulations/{self.id}")

    def wait(self, progress=True):
        """Waits for the end of the run, and warns if requests failed."""
        with tqdm(desc="answers", unit="", disable=not progress) as bar:
            while True:
                now = self._connection.get(f"/simulations/{self.id}/progress")
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
        """The answers as a frame: a row a request with where its answer came from, or `wide`, a row a twin."""
        if wide:
            return wide_frame(self._connection.pages(self._responses("matrix")))
        answer = self._connection.send("GET", self._responses("export.jsonl"), stream=True)
        answer.encoding = "utf-8"
        return pandas.DataFrame([json.loads(line) for line in answer.iter_lines() if line])

    def personas(self):
        """The twins of the run, with pid and attributes as they were when it started."""
        return with_attributes(pandas.DataFrame(self._connection.pages(f"/simulations/{self.id}/personas")))

    def prompt(self, persona, question):
        """The exact prompt that the answer of a persona to a question came from, both by id."""
        return self._connection.get(f"/simulations/{self.id}/prompt", personaId=persona, questionId=question)

    def save(self, path):
        """Saves the answers as .csv, .xlsx or .jsonl."""
        path = Path(path)
        if path.suffix not in FORMATS:
            raise ValueError(f"{path}: the name must end in {', '.join(sorted(FORMATS))}")
        answer = self._connection.send("GET", self._responses(f"export{path.suffix}"), stream=True)
        with path.open("wb") as file:
            for chunk in answer.iter_content(1 << 16):
                file.write(chunk)
        return path

    def pause(self):
        return self._control("pause")

    def resume(self):
        return self._control("resume")

    def stop(self):
        return self._control("stop")

    def retry_failed(self):
        """Asks the failed requests again; `wait()` for them."""
        self._connection.post(f"/simulations/retry-failed/{self.id}", {"surveyId": self.survey_id})
        return self

    def _control(self, what):
        self._connection.post(f"/simulations/{self.id}/{what}")
        return self

    def _responses(self, end):
        return f"/surveys/{self.survey_id}/simulation/{self.id}/responses/{end}"

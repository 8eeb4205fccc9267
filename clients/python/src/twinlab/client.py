"""The client: a server and a token."""

import json
import os
import time
import uuid
from numbers import Integral
from pathlib import Path

import pandas

from . import _core
from .connection import Connection, TwinlabError
from .frames import with_attributes
from .plan import Plan
from .run import Run
from .study import Study

# The API's names of the arguments of `Client.run` and `Client.study`.
PARAMETERS = {
    "seed": "seed",
    "model": "model",
    "temperature": "temperature",
    "persona_variant": "personaVariant",
    "questions_per_call": "questionsPerCall",
    "shuffle_options": "shuffleOptions",
    "batch": "batch",
    "keep_replies": "keepReplies",
    "reasoning_effort": "reasoningEffort",
    "verbosity": "verbosity",
    "service_tier": "serviceTier",
    "lenient": "lenient",
    "answer_mode": "answerMode",
    "draws": "draws",
}
START_ATTEMPTS = 4


class Client:
    """A client of a Digital Twin Lab server. The defaults are TWINLAB_TOKEN and TWINLAB_URL of the environment."""

    def __init__(self, token=None, url=None, timeout=60):
        token = token or os.environ.get("TWINLAB_TOKEN")
        if not token:
            raise ValueError("no token: give one, or set TWINLAB_TOKEN")
        url = url or os.environ.get("TWINLAB_URL") or "http://127.0.0.1:8080"
        self._connection = Connection(token, url, timeout)

    def run(self, survey, personas=None, *, group=None, wait=True, progress=True, **parameters):
        """Runs the survey and returns the run, after its end unless `wait` is false.

        `survey` is a dict or the path of a JSON file, from which a new survey is created in `group` (an id; by default the
        only group), or the id of a survey. `personas` is a number, drawn by `seed`, or a list of ids; 100 by default.
        Further arguments: model, temperature, persona_variant, questions_per_call, shuffle_options, reasoning_effort,
        verbosity, service_tier, `lenient=True` to leave out what the model does not take, `answer_mode="stated"` to ask
        for probabilities from which the answers are drawn, and `batch=True` for the model
        server's Batch API, at its lower price within a day.
        """
        body = _body(personas, parameters)
        facts = self._with_survey(survey, group, lambda id: self._start(_core.start_simulation, id, body))
        run = Run(self._connection, facts)
        return run.wait(progress=progress) if wait else run

    def price(self, survey, personas=None, *, group=None, **parameters):
        """Returns the price of a run before its start, as a dict, and starts nothing. Its arguments are those of `run`.

        `credits`, and the caller's `available` ones; `canSimulate`, with the `reason` where credits are missing; the
        estimated `calls`, `tokens`, `cost` (`low`, `expected`, `high`; None where the model has no price) and `time`; the
        `model`, and `prices`, what a million of its tokens cost. Raises what `run` would raise. A survey that is given as a
        dict or a path is deleted again.
        """
        body = {"run": _body(personas, parameters)}

        def asked(survey_id):
            price = _core.start_study(self._connection, survey_id, body, price=True)
            missing = [each for each in price["warnings"] if each["code"] == "insufficient_credits"]
            (run,) = price["runs"]
            return {
                "credits": price["credits"],
                "available": price["available"],
                "canSimulate": not missing,
                "reason": missing[0]["message"] if missing else None,
                **{name: price["estimate"][name] for name in ("calls", "tokens", "cost", "time")},
                "model": run["parameters"]["model"],
                "prices": run["parameters"].get("price"),
            }

        if _is_id(survey):
            return asked(int(survey))
        survey_id = self._import(survey, group)
        try:
            return asked(survey_id)
        finally:
            _core.delete_survey(self._connection, survey_id)

    def study(
        self,
        survey,
        personas=None,
        *,
        variants=(),
        models=(),
        reasoning_efforts=(),
        repeats=None,
        orders=(),
        every_arm=False,
        plan=None,
        group=None,
        wait=True,
        progress=True,
        **parameters,
    ):
        """Asks the same twins in several runs, one for each combination, and returns the study.

        `variants`: of summary, full, demographics, empty. `orders`: of as_written, reversed. `every_arm`: each twin is
        asked in every combination of the survey's arms. `reasoning_efforts`: for example low and high. `plan`: what the study follows; what is left out here is as planned.
        Otherwise what is left out is as in `run`, whose arguments hold for all.
        """
        given = {
            "arms": "all" if every_arm else None if plan else "split",
            "variants": list(variants),
            "models": list(models),
            "reasoningEfforts": list(reasoning_efforts),
            "repeats": repeats if repeats is not None or plan else 1,
            "orders": list(orders),
            "planId": plan and plan.id,
        }
        run = _body(personas, parameters)
        if plan and personas is None:
            del run["personaCount"]
        body = {"run": run, **{name: value for name, value in given.items() if value is not None}}
        facts = self._with_survey(survey, group, lambda id: self._start(_core.start_study, id, body))
        study = Study(self._connection, facts)
        return study.wait(progress=progress) if wait else study

    def validate(
        self,
        personas=100,
        *,
        variants=(),
        repeats=1,
        quick=False,
        model=None,
        temperature=None,
        seed=None,
        group=None,
        wait=True,
        progress=True,
    ):
        """Asks twins what the people behind them answered twice, and returns the study; `study.validation()` has the figures.

        `personas`: how many, drawn by `seed` among those whose person answered. `variants`: of wave1_3, summary,
        demographics, empty; by default the twins' text with both baselines. `quick`: 24 questions instead of all.
        """
        body = {
            "groupId": self._only_group() if group is None else group,
            "personaCount": personas,
            "variants": list(variants),
            "repeats": repeats,
            "items": "quick" if quick else "all",
        }
        chosen = {"model": model, "temperature": temperature, "seed": seed}
        body.update({name: value for name, value in chosen.items() if value is not None})
        offer = _core.show_validation_offer(self._connection)
        study = Study(self._connection, self._start(_core.start_validation, offer["setId"], body))
        return study.wait(progress=progress) if wait else study

    def plan(self, survey, *, group=None, **document):
        """Drafts a plan for a study of the survey, with the fields of the API: `title`, `primaryItems`, `run`, `blind` .."""
        draft = self._with_survey(survey, group, lambda id: _core.draft_plan(self._connection, id, document))
        return Plan(self._connection, draft["planId"])

    def add_people(
        self, survey, path, *, name=None, matching=None, recodes=None, margins=None, outcomes=None, formulas=None, **columns
    ):
        """Keeps people's answers to a survey, by its id: every run of it is then compared with them. Returns the sample.

        `path`: a CSV, .sav or .dta file. Further: `arm`, `weight`, `twin_weight`, `probability`, `by`, `cells`, `regress`, `adjust`,
        as of the API; `matching`, by question its column; `recodes`, by question and cell an answer; `margins`; `outcomes`, by
        name the questions that are one outcome of the arms; `formulas`, by name an outcome such as `mean(honest, reverse(greedy))`.
        """
        path = Path(path)
        said = {"matching": matching, "recodes": recodes, "margins": margins, "outcomes": outcomes, "formulas": formulas}
        files = {field: (None, json.dumps(value)) for field, value in said.items() if value is not None}
        files["name"] = (None, (name or path.name)[:120])
        with path.open("rb") as file:
            return _core.add_human_sample(self._connection, survey, {"file": (path.name, file), **files}, **columns)

    def people(self, survey):
        """Returns the samples of people that are kept for a survey (by its id), newest first."""
        return _core.list_human_samples(self._connection, survey)

    def rename(self, survey, name, to, *, kind="question", random=None, questions=None):
        """Renames a question, or a `kind` "field", "arm" or "block", wherever the survey reads it. Returns its questions and design.

        `random`: the random node of an arm. `questions`: the names of the questions of a block. `to=None` makes a
        question's name from its text. The same call with the names exchanged takes it back.
        """
        body = {"kind": kind, "from": name, "to": to, "random": random, "questions": questions}
        given = {field: value for field, value in body.items() if value is not None}
        return _core.rename_in_survey(self._connection, survey, given)

    def ask_one(self, survey, persona, *, wait=True, progress=True):
        """Asks one persona the questions of a survey, by their ids, and returns the run. The survey stays open to changes."""
        body = {"personaId": int(persona)}
        run = Run(self._connection, self._start(_core.ask_one_persona, survey, body))
        return run.wait(progress=progress) if wait else run

    def runs(self, group=None):
        """Returns the caller's runs, newest first; with the id of a group that they own, those of all members."""
        return [Run(self._connection, facts) for facts in _core.list_simulations(self._connection, group_id=group)]

    def surveys(self, shared=None):
        """Returns the caller's surveys as a frame, newest first; with `shared`, those that others share with them."""
        return pandas.DataFrame(_core.my_surveys(self._connection, shared=shared))

    def credits(self):
        """Returns the credits that the caller may spend in each group, as a frame."""
        fields = ["id", "groupName", "available"]
        return pandas.DataFrame(_core.list_my_groups(self._connection)).reindex(columns=fields)

    def studies(self, survey):
        """Returns the studies of a survey (by its id), newest first."""
        return [Study(self._connection, facts) for facts in _core.list_studies(self._connection, survey)]

    def simulation(self, id):
        """Returns an earlier run (by its id)."""
        return Run(self._connection, _core.show_simulation(self._connection, id))

    def personas(self, **attributes):
        """Returns the twins with their attributes. Attributes select some of them: `personas(Gender="Female")`."""
        return with_attributes(pandas.DataFrame(_core.list_personas(self._connection, attributes=attributes)))

    def _with_survey(self, survey, group, use):
        """Returns `use` of the survey's id. Deletes a survey that was created for it if the server refuses."""
        if _is_id(survey):
            return use(int(survey))
        survey_id = self._import(survey, group)
        try:
            return use(survey_id)
        except TwinlabError as refused:
            # Without a response the run may exist.
            if refused.status is not None and refused.status < 500:
                _core.delete_survey(self._connection, survey_id)
            raise

    def _import(self, survey, group):
        if not isinstance(survey, dict):
            survey = json.loads(Path(survey).read_text(encoding="utf-8"))
        group = self._only_group() if group is None else group
        return _core.import_survey(self._connection, group, survey)["id"]

    def _only_group(self):
        groups = _core.list_my_groups(self._connection)
        if len(groups) != 1:
            known = ", ".join(f"{each['id']} ({each['group_name']})" for each in groups) or "none"
            raise ValueError(f"say in which group: group=ID; yours are {known}")
        return groups[0]["id"]

    def _start(self, start, survey_id, body):
        """Starts once, however often the request has to be sent."""
        key = str(uuid.uuid4())
        for attempt in range(1, START_ATTEMPTS + 1):
            try:
                return start(self._connection, survey_id, body, idempotency_key=key)
            except TwinlabError as error:
                if error.status not in (None, 503) or attempt == START_ATTEMPTS:
                    raise
            time.sleep(attempt)


def _body(personas, parameters):
    """Returns the body of a start, with the API's names."""
    unknown = set(parameters) - set(PARAMETERS)
    if unknown:
        raise TypeError(f"unknown: {', '.join(sorted(unknown))}; known are {', '.join(PARAMETERS)}")
    body = {PARAMETERS[name]: value for name, value in parameters.items() if value is not None}
    body["personaCount"] = _count(personas)
    if personas is not None and not isinstance(personas, Integral):
        body.update(selectedPersonaIds=[int(persona) for persona in personas], isRandomSelection=False)
    return body


def _count(personas):
    """Returns the number of twins to ask."""
    if personas is None:
        return 100
    return int(personas) if isinstance(personas, Integral) else len(personas)


def _is_id(survey):
    """Whether it is the id of a survey (also one of numpy's integers), and not a survey or the path of its file."""
    return isinstance(survey, Integral)

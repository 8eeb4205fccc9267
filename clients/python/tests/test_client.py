"""The package against the real program, with its demo workspace and a PostgreSQL of its own."""

import hashlib
import html
import json
import os
import re
import subprocess
import time
from pathlib import Path

import numpy
import pytest
import requests
import twinlab
from twinlab import Client, TwinlabError, Unreachable, _core

PROGRAM = os.environ["TWINLAB"]
SURVEY = {
    "title": "Coffee",
    "questions": [
        {"text": "What do you drink?", "type": "SINGLE_CHOICE", "options": ["Coffee", "Tea"]},
        {"text": "How many cups?", "name": "cups", "type": "NUMBER", "min_value": 0, "max_value": 20},
        {"text": "Which of these?", "type": "MULTIPLE_CHOICE", "options": ["Milk", "Sugar", "Neither"]},
    ],
}


def until(found, seconds=120):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        result = found()
        if result:
            return result
        time.sleep(0.1)
    raise AssertionError("it does not come")


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("twinlab")
    log = folder / "log"
    # Settings of the machine, such as a model server, are none of the test's.
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "PG_BIN_DIR") if name in os.environ}
    environment |= {"DATA_DIR": str(folder / "data"), "DRAIN_S": "0"}
    with log.open("w") as out:
        command = [PROGRAM, "serve", "--demo", "--port", "0"]
        program = subprocess.Popen(command, env=environment, stdout=out, stderr=out, cwd=folder)
    try:
        def address():
            assert program.poll() is None, log.read_text()
            return re.search(r"^Digital Twin Lab: (http://\S+)$", log.read_text(), re.MULTILINE)

        yield until(address)[1], folder / "data" / "mail"
    finally:
        program.terminate()
        program.wait(60)


@pytest.fixture(scope="session")
def client(server):
    url, mails = server
    person = {"email": "user@demo.example"}
    requests.post(f"{url}/api/auth/request-login", json=person, timeout=30).raise_for_status()

    def code():
        texts = [mail.read_text() for mail in mails.glob("*.eml")] if mails.is_dir() else []
        return next(filter(None, (re.search(r"^Subject: (\d{6}) is your", text, re.MULTILINE) for text in texts)), None)

    answer = requests.post(f"{url}/api/auth/verify-login", json={**person, "code": until(code)[1]}, timeout=30)
    # What scripts have: a token that may run, and nothing more.
    session = {"Authorization": f"Bearer {answer.json()['access_token']}"}
    token = requests.post(f"{url}/api/auth/tokens", json={"name": "test", "scopes": ["run"]}, headers=session, timeout=30)
    return Client(token.json()["token"], url=url)


@pytest.fixture(scope="session")
def run(client):
    return client.run(SURVEY, personas=20, seed=7, progress=False)


def test_a_run_gives_its_answers_as_a_typed_frame(run):
    answers = run.answers()
    assert len(answers) == 60
    assert set(answers["status"]) == {"answered"}
    assert set(answers["seed"]) == {7}
    assert set(answers["model"]) == {"twinlab-demo"}
    assert answers["notice"].str.startswith("demo model").all()
    drinks = answers[answers["questionNumber"] == 1]
    assert set(drinks["answerValue"]) <= {"Coffee", "Tea"}
    cups = answers[answers["questionNumber"] == 2]["answerValue"]
    assert cups.map(lambda value: 0 <= value <= 20).all()
    assert answers[answers["questionNumber"] == 3]["answerValue"].map(lambda value: isinstance(value, list)).all()


def test_a_wide_frame_has_a_row_a_twin_with_attributes_and_answers(run):
    wide = run.answers(wide=True)
    assert len(wide) == 20
    assert list(wide.columns[:3]) == ["personaId", "personaPid", "personaName"]
    assert list(wide.columns[-3:]) == ["What_do_you_drink", "cups", "Which_of_these"]
    assert "Gender" in wide
    assert wide.groupby("Gender")["cups"].mean().between(0, 20).all()
    twins = run.personas()
    assert list(twins["personaPid"]) == list(wide["personaPid"])
    assert twins["text"].str.len().min() > 100


def test_groups_and_runs_are_tested_as_on_the_pages(run):
    tests = run.tests("Gender")
    assert set(tests["adjustment"]) == {"holm"}
    tested = tests[tests["p"].notna()]
    assert set(tested["familySize"]) == {len(tested)}
    assert (tested["adjustedP"] >= tested["p"]).all()
    summary = run.summary(by="Gender")
    assert summary["rule"]["byPlan"] is False
    assert summary["questions"][1]["meanLow"] < summary["questions"][1]["mean"] < summary["questions"][1]["meanHigh"]
    beside = run.compare(run)
    assert [test["p"] for question in beside["questions"] for test in question["tests"] if test["p"] is not None] != []
    assert all(test["distance"] in (0, None) for question in beside["questions"] for test in question["tests"])


def test_the_facts_and_the_prompt_of_an_answer_can_be_checked(client, run):
    facts = run.facts()
    assert (facts["status"], facts["seed"], facts["personaCount"]) == ("COMPLETED", 7, 20)
    answer = run.answers().iloc[5]
    prompt = run.prompt(int(answer["personaId"]), int(answer["questionId"]))
    assert hashlib.sha256(prompt["body"].encode()).hexdigest() == prompt["promptHash"] == answer["promptHash"]
    assert json.loads(prompt["body"])["messages"] == prompt["messages"]
    assert client.simulation(run.id).survey_id == run.survey_id


def test_files_are_saved_under_the_ending_of_their_name(run, tmp_path):
    import pandas

    csv = pandas.read_csv(run.save(tmp_path / "coffee.csv"))
    assert len(csv) == 60
    assert [json.loads(value) for value in csv["answerValue"]] == run.answers()["answerValue"].tolist()
    assert run.save(tmp_path / "coffee.xlsx").read_bytes().startswith(b"PK")
    assert run.save(tmp_path / "coffee.parquet").read_bytes().startswith(b"PAR1")
    assert run.save(tmp_path / "coffee.sav").read_bytes().startswith(b"$FL2")
    assert run.save(tmp_path / "coffee.dta").read_bytes().startswith(b"<stata_dta>")
    assert run.save(tmp_path / "coffee.zip").read_bytes().startswith(b"PK")
    with pytest.raises(ValueError, match="must end in"):
        run.save(tmp_path / "coffee.pdf")


def test_the_same_survey_runs_again_over_chosen_twins(client, run):
    again = client.run(run.survey_id, personas=[3, 5], progress=False)
    assert sorted(set(again.answers()["personaId"])) == [3, 5]


def test_numpys_numbers_are_numbers(client, run):
    again = client.run(numpy.int64(run.survey_id), personas=numpy.int64(2), seed=numpy.int32(7), progress=False)
    assert again.facts()["personaCount"] == 2
    chosen = client.run(run.survey_id, personas=numpy.array([3, 5]), progress=False)
    assert sorted(set(chosen.answers()["personaId"])) == [3, 5]


def test_a_refused_start_leaves_no_survey_behind(client):
    before = len(client.surveys())
    for refused in ({"personas": 0}, {"personas": 10**6}, {"personas": 5, "model": "no-such-model"}):
        with pytest.raises(TwinlabError):
            client.run(SURVEY, progress=False, **refused)
        with pytest.raises(TwinlabError):
            client.study(SURVEY, progress=False, **refused)
    with pytest.raises(TwinlabError):
        client.plan(SURVEY, title="x" * 10_000)
    assert len(client.surveys()) == before


def test_the_price_is_told_before_a_start_and_nothing_is_left(client):
    before = len(client.surveys())
    price = client.price(SURVEY, personas=20)
    assert price["credits"] == 60
    assert price["canSimulate"] and price["available"] == client.credits()["available"].sum()
    assert price["tokens"] > 0
    assert price["calls"] == 20 and price["reason"] is None
    with pytest.raises(TwinlabError):
        client.price(SURVEY, personas=10**9)
    assert len(client.surveys()) == before


def test_a_question_is_renamed_and_one_twin_asked_before_a_survey_is_run(client):
    survey = client._import(SURVEY, None)
    before = len(client.surveys())
    cups = client.rename(survey, "cups", "mugs")
    assert [question["name"] for question in cups["questions"]][1] == "mugs"
    asked = client.ask_one(survey, 3, progress=False)
    assert set(asked.answers()["personaId"]) == {3}
    assert asked.survey_id != survey and len(client.surveys()) == before
    assert client.rename(survey, "mugs", "cups")["questions"][1]["name"] == "cups"


def test_runs_and_surveys_are_listed(client, run):
    assert run.id in [each.id for each in client.runs()]
    assert run.survey_id in set(client.surveys()["id"])


def test_a_shared_page_shows_the_run(run, server):
    address = run.share(days=1)
    assert address.startswith(f"{server[0]}/shared/")
    token = address.rsplit("/", 1)[1]
    assert requests.get(f"{server[0]}/api/shared/{token}", timeout=30).json()["title"] == "Coffee"


def test_a_server_that_is_away_is_told_of(monkeypatch):
    monkeypatch.setattr("twinlab.client.time.sleep", lambda seconds: None)
    away = Client("twl_x", url="http://127.0.0.1:1")
    away._connection.session.mount("http://", requests.adapters.HTTPAdapter(max_retries=0))
    with pytest.raises(Unreachable, match="cannot be reached") as refused:
        away.run(1, progress=False)
    assert refused.value.status is None
    assert issubclass(Unreachable, TwinlabError)


def test_the_version_is_a_text():
    assert isinstance(twinlab.__version__, str) and twinlab.__version__


def test_a_run_in_batches_gives_the_answers_of_one_by_calls(client, run):
    batched = client.run(run.survey_id, personas=20, seed=7, batch=True, progress=False)
    said = ["personaId", "questionNumber", "answer", "promptHash"]
    assert batched.answers()[said].equals(run.answers()[said])
    # By calls each has one.
    assert batched.answers()["latencyMs"].isna().all()
    assert run.answers()["latencyMs"].notna().all()


def test_the_same_twins_answer_in_every_run_of_a_study(client):
    study = client.study(SURVEY, personas=10, seed=3, variants=["summary", "empty"], repeats=2, progress=False)
    cells = study.cells()
    assert list(zip(cells["personaVariant"], cells["repeat"])) == [
        ("summary", 0),
        ("summary", 1),
        ("empty", 0),
        ("empty", 1),
    ]
    answers = study.answers()
    assert len(answers) == 4 * 10 * 3
    twins = answers.groupby("run")["personaId"].agg(frozenset)
    assert twins.nunique() == 1
    beside = study.comparison(reference=study.runs[2])
    assert beside["reference"] == study.runs[2].id
    assert [run["simulationId"] for run in beside["runs"]] == [study.runs[place].id for place in (0, 1, 3)]
    assert [group["simulationIds"] for group in beside["repeats"]] == [
        [study.runs[0].id, study.runs[1].id],
        [study.runs[2].id, study.runs[3].id],
    ]


def test_a_study_follows_a_frozen_plan_and_lists_what_deviates_from_it(client):
    survey = client._import(SURVEY, None)
    name = client.plan(survey, title="Tea", run={"personaCount": 5, "seed": 3}, blind=True)
    question = _core.list_questions(client._connection, survey)[0]["name"]
    plan = name.save(primaryItems=[question])
    study = client.study(survey, plan=plan, seed=4, progress=False)
    assert study.plan().id == plan.id
    with pytest.raises(TwinlabError, match="hidden until the plan") as refused:
        study.comparison()
    assert refused.value.status == 409
    assert study.freeze().facts()["frozen"]["sha256"]
    assert study.facts()["totalRequests"] == 5 * 3
    assert plan.deviations()[["field", "before", "after"]].values.tolist() == [["run: seed", "3", "4"]]
    assert "| run: seed | 3 | 4 |" in plan.markdown()
    study.comparison()


def test_twins_are_validated_against_what_their_people_answered(client):
    study = client.validate(30, seed=3, progress=False)
    found = study.validation()
    assert found["finished"] and found["people"] == 30
    accuracy = {arm["key"]: arm["accuracy"]["value"] for arm in found["arms"]}
    assert accuracy["ceiling"] > accuracy["summary"] > accuracy["random"]
    assert [run["parameters"]["personaVariant"] for run in study.facts()["runs"]] == ["summary", "demographics", "empty"]


def test_a_study_is_named_and_found_again_and_goes_on_after_a_stop(client):
    study = client.study(SURVEY, personas=400, repeats=2, wait=False)
    study.pause()
    assert study.stop()["status"] == "STOPPED"
    with pytest.raises(TwinlabError, match="no failed requests") as refused:
        study.retry_failed()
    assert refused.value.status == 409
    assert study.go_on()["status"] == "QUEUED"
    study.wait(progress=False)
    assert study.facts()["successfulRequests"] == 2 * 400 * 3
    named = study.rename(name="Repeats", note="Second try")
    assert (named["name"], named["note"]) == ("Repeats", "Second try")
    assert study.rename(note="")["note"] is None
    survey = study.runs[0].survey_id
    assert [(each.id, each.facts()["name"]) for each in client.studies(survey)] == [(study.id, "Repeats")]


def test_people_are_kept_for_a_survey_and_every_run_is_set_beside_them(client, run, tmp_path):
    answers = run.answers(wide=True)
    file = tmp_path / "people.csv"
    rows = [f"{pid},7,{pid}@test.example" for pid in answers["personaPid"]]
    file.write_text("\n".join(["pid,cups,mail", *rows]))
    kept = client.add_people(run.survey_id, file, name="Panel", matching={"What_do_you_drink": None})
    assert (kept["name"], kept["people"]) == ("Panel", len(answers))
    assert kept["dropped"] == [{"column": "mail", "reason": "personal data"}]
    assert [each["sampleId"] for each in client.people(run.survey_id)] == [kept["sampleId"]]
    assert (kept["settings"]["matching"], kept["matchedQuestions"]) == ({"What_do_you_drink": []}, ["cups"])
    assert run.people()["sample"]["name"] == "Panel"
    assert run.people(kept["sampleId"])["comparison"]["people"] == len(answers)
    with pytest.raises(TwinlabError) as refused:
        client.add_people(run.survey_id, file, arm="cond")
    assert str(refused.value) == "file: there is no column cond"


def test_twins_are_found_by_their_attributes(client):
    women = client.personas(Gender="Female")
    assert set(women["Gender"]) == {"Female"}
    assert len(women) < len(client.personas())


def test_a_refusal_is_an_exception_with_the_servers_words(client, server):
    with pytest.raises(TwinlabError, match="Shoe size") as refused:
        client.personas(**{"Shoe size": "44"})
    assert refused.value.status == 400
    with pytest.raises(TwinlabError) as refused:
        Client("twl_wrong", url=server[0]).personas()
    assert refused.value.status == 401
    with pytest.raises(TypeError, match="temprature"):
        client.run(SURVEY, temprature=1)


def test_the_worked_example_works_and_stands_in_the_docs(client, server, tmp_path, monkeypatch):
    readme = Path(__file__).parents[1] / "README.md"
    example = re.search(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)[1]
    page = html.unescape(requests.get(f"{server[0]}/api/docs", timeout=30).text)
    assert example.replace("http://127.0.0.1:8080", '<span id="origin"></span>').strip() in page
    monkeypatch.chdir(tmp_path)
    token = client._connection.session.headers["Authorization"].removeprefix("Bearer ")
    names = {}
    exec(example.replace("YOUR TOKEN", token).replace("http://127.0.0.1:8080", server[0]), names)
    assert len(names["answers"]) == 200
    assert (tmp_path / "coffee.xlsx").exists()


def test_without_a_token_there_is_no_client(monkeypatch):
    monkeypatch.delenv("TWINLAB_TOKEN", raising=False)
    with pytest.raises(ValueError, match="TWINLAB_TOKEN"):
        Client()

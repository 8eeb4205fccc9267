"""Opens a run's files as statistics programs do, and compares them with wide.csv, codebook.csv and export.csv.

    check_statistics_files.py PROGRAM
"""

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import pandas
import pyarrow.parquet
import pyreadstat
import requests
from twinlab import Client

PROGRAM = str(Path(sys.argv[1]).absolute())
TWINS = 30
LONG = "Donaudampfschifffahrtsgesellschaft" * 9
SURVEY = {
    "title": "Files 😀",
    "questions": [
        {"text": "What do you drink?", "name": "drink.", "type": "SINGLE_CHOICE", "options": ["Coffee", "Tea", LONG]},
        {"text": f"Which of these {LONG}?", "type": "MULTIPLE_CHOICE", "options": ["Milk", "Sugar", "😀" * 40]},
        {"text": "Agree?", "name": "a.very_long_name_that_stata_would_never_take", "type": "MATRIX",
         "scale_labels": ["No", "Neither", "Yes"], "sub_questions": ["Tea\nis good", "Coffee is good"]},
        {"text": "How many cups?", "type": "NUMBER", "min_value": 0, "max_value": 20},
        {"text": "How warm?", "name": "warm", "type": "SLIDER", "min_value": 0, "max_value": 100},
        {"text": "How often?", "name": "str8", "type": "RANGE", "min_value": 1, "max_value": 5,
         "min_description": "never", "max_description": "always"},
        {"text": "Do you?", "type": "BOOLEAN"},
        {"text": "In a word?", "type": "TEXT_ENTRY"},
        {"text": "Why?", "type": "OPENENDED"},
    ],
}
EXPERIMENT = {
    "title": "Arms",
    "questions": [
        {"text": "Do you?", "name": "ok", "type": "BOOLEAN"},
        {"text": "How fair is {{field:fee}}?", "name": "fair", "type": "SINGLE_CHOICE", "options": ["Fair", "Unfair"],
         "codes": [7, 9], "show_if": {"answer": "ok", "is": True}},
    ],
    "flow": [
        {"random": "fee_arm", "take": 1, "of": [{"arm": arm, "flow": [{"set": {"fee": f"a {arm} fee"}}]}
                                                for arm in ("resort", "service")]},
        {"block": "main", "questions": ["ok", "fair"]},
    ],
}
MEASURES = {"MATRIX": "ordinal", "NUMBER": "scale", "SLIDER": "scale", "RANGE": "scale"}
NUMBERS = {"NUMBER", "SLIDER", "RANGE"}
FAILED = "Failed or refused"


def until(found, seconds=120):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        result = found()
        if result:
            return result
        time.sleep(0.1)
    raise AssertionError("it does not come")


class Programs:
    """Programs with a log each, which end with this one."""

    def __init__(self, folder):
        self.folder, self.running = folder, []
        # Settings of the machine, such as a model server, are none of the check's.
        self.environment = {name: os.environ[name] for name in ("PATH", "HOME", "PG_BIN_DIR") if name in os.environ}
        self.environment["DRAIN_S"] = "0"

    def start(self, pattern, *arguments, **environment):
        log = self.folder / f"{arguments[0]}.log"
        with log.open("w") as out:
            program = subprocess.Popen([PROGRAM, *arguments], env=self.environment | environment, stdout=out, stderr=out,
                                       cwd=self.folder)
        self.running.append(program)

        def address():
            assert program.poll() is None, log.read_text()
            return re.search(pattern, log.read_text(), re.MULTILINE)

        return until(address)[1]

    def end(self):
        for program in reversed(self.running):
            program.terminate()
            program.wait(60)


def sign_in(url, mails):
    person = {"email": "user@demo.example"}
    requests.post(f"{url}/api/auth/request-login", json=person, timeout=30).raise_for_status()

    def code():
        texts = [mail.read_text() for mail in mails.glob("*.eml")] if mails.is_dir() else []
        return next(filter(None, (re.search(r"^Subject: (\d{6}) is your", text, re.MULTILINE) for text in texts)), None)

    answer = requests.post(f"{url}/api/auth/verify-login", json={**person, "code": until(code)[1]}, timeout=30)
    return answer.json()["access_token"]


def cut(text, limit):
    return text.encode()[:limit].decode(errors="ignore")


def one_line(text):
    return "".join(" " if ord(character) < 32 or 127 <= ord(character) < 160 else character for character in text)


def is_missing(value):
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def same_column(name, given, expected):
    assert len(given) == len(expected), name
    for one, other in zip(given, expected):
        if is_missing(other):
            assert is_missing(one), f"{name}: {one!r} where nothing is"
        elif isinstance(one, str):
            # SPSS pads texts with blanks.
            assert one.rstrip(" ") == str(other).rstrip(" "), f"{name}: {one!r} is not {other!r}"
        else:
            assert float(one) == float(other), f"{name}: {one!r} is not {other!r}"


def codebook(lines, program):
    """What each variable of the table is, with its name for the program."""
    variables = {}
    for line in lines.to_dict("records"):
        known = variables.setdefault(line["variable"], {**line, "name": line[program], "codes": {}})
        if line["code"] != "":
            known["codes"][int(line["code"])] = line["label"]
    return variables


def check_values(table, data, book):
    assert list(book) == list(table.columns[:-1])
    assert list(data.columns[:-1]) == [each["name"] for each in book.values()]
    for variable, each in book.items():
        same_column(variable, list(data[each["name"]]), list(table[variable]))
    assert set(data[data.columns[-1]]) == set(table["notice"])


def check_spss(path, table, lines, failed):
    data, _ = pyreadstat.read_sav(str(path))
    # As the file has them: without its missing values taken out.
    with_codes, meta = pyreadstat.read_sav(str(path), user_missing=True)
    book = codebook(lines, "spssName")
    check_values(table, data, book)
    for variable, each in book.items():
        name, kind = each["name"], each["type"]
        assert meta.column_names_to_labels[name] == cut(one_line(each["questionText"]), 255).rstrip(), variable
        assert meta.variable_measure[name] == MEASURES.get(kind, "nominal"), variable
        labels = {code: cut(one_line(label), 120) for code, label in each["codes"].items()}
        if labels or kind in NUMBERS:
            assert meta.missing_ranges[name] == [{"lo": -88.0, "hi": -88.0}], variable
            labels[-88] = FAILED
        assert meta.variable_value_labels.get(name, {}) == labels, variable
    assert (with_codes["warm"] == -88).sum() == failed
    assert meta.file_encoding == "UTF-8" and meta.file_label == SURVEY["title"]
    notes = "".join(meta.notes)
    assert "demo model: not from a language model" in notes and "Labels cut to 255 bytes" in notes, notes


def check_stata(path, table, lines, failed):
    data, _ = pyreadstat.read_dta(str(path))
    with_codes, meta = pyreadstat.read_dta(str(path), user_missing=True)
    book = codebook(lines, "stataName")
    check_values(table, data, book)
    for variable, each in book.items():
        name = each["name"]
        assert meta.column_names_to_labels[name] == one_line(each["questionText"])[:80], variable
        labels = {code: one_line(label) for code, label in each["codes"].items()}
        if labels or each["type"] in NUMBERS:
            labels["f"] = FAILED
        assert meta.variable_value_labels.get(name, {}) == labels, (variable, meta.variable_value_labels.get(name))
    assert (with_codes["warm"] == "f").sum() == failed
    assert meta.file_label == SURVEY["title"]
    # By a reader of other authors too.
    check_values(table, pandas.read_stata(path, convert_categoricals=False), book)
    with pandas.read_stata(path, iterator=True) as reader:
        assert reader.data_label == SURVEY["title"]
        assert reader.value_labels()[book["drink."]["name"]][2] == "Tea"


def check_parquet(path, table, lines):
    file = pyarrow.parquet.read_table(path)
    assert file.column_names == list(table.columns)
    for name in file.column_names:
        same_column(name, file[name].to_pylist(), list(table[name]))
    notes = file.schema.metadata
    assert b"demo model" in notes[b"notice"] and b"spssName" in notes[b"codebook.csv"]


def check_long(path, csv):
    """The parquet of all requests has the columns, the types and the rows that pandas finds in the raw CSV."""
    rows = pandas.read_parquet(path)
    lines = pandas.read_csv(csv, encoding="utf-8-sig", keep_default_na=False, na_values=[""])
    assert list(rows.columns) == list(lines.columns)
    for name in rows.columns:
        # Of a column that is empty in every line, CSV tells no type.
        if lines[name].notna().any():
            assert rows[name].dtype == lines[name].dtype, f"{name}: {rows[name].dtype} is not {lines[name].dtype}"
        same_column(name, list(rows[name]), list(lines[name]))
    notes = pyarrow.parquet.read_schema(path).metadata
    assert b"demo model" in notes[b"notice"] and b"Seed: 7" in notes[b"Read Me"]


def check_python(script, codes, lines):
    """read.py gives the codes of the file their labels."""
    names = {}
    exec(compile(script.read_text(), str(script), "exec"), names)
    for variable, each in codebook(lines, "variable").items():
        labels = each["codes"]
        expected = [labels[int(value)] if labels and value != "" else value for value in codes[variable]]
        same_column(variable, list(names["data"][variable].astype(object)), expected)
        assert names["data"].attrs["labels"][variable] == each["questionText"]


def check_experiment(sav, dta, wide, long):
    """Arms, codes of the survey's own, and a question that was not shown."""
    asked = long[long["questionText"].str.startswith("How fair")].reset_index(drop=True)
    hidden = int((asked["status"] == "skipped").sum())
    assert 0 < hidden < TWINS and set(asked["arm"]) == {"fee_arm: resort", "fee_arm: service"}
    assert sorted(wide["fee_arm"]) == ["resort"] * (TWINS // 2) + ["service"] * (TWINS // 2)
    assert set(asked["position"]) <= {"", "2"} and set(wide["fair"]) <= {"", "7", "9"}
    data, meta = pyreadstat.read_sav(str(sav), user_missing=True)
    assert [{"lo": at, "hi": at} for at in (-88.0, -77.0)] == meta.missing_ranges["fair"], meta.missing_ranges
    assert meta.variable_value_labels["fair"] == {-88: FAILED, -77: "Not shown", 7: "Fair", 9: "Unfair"}
    assert (data["fair"] == -77).sum() == hidden and list(data["fee_arm"]) == list(wide["fee_arm"])
    data, meta = pyreadstat.read_dta(str(dta), user_missing=True)
    assert (data["fair"] == "s").sum() == hidden
    assert meta.variable_value_labels["fair"] == {"f": FAILED, "s": "Not shown", 7: "Fair", 9: "Unfair"}


def main():
    folder = Path(tempfile.mkdtemp(prefix="twinlab-files-"))
    programs = Programs(folder)
    try:
        model = programs.start(r"(http://[^ ,]*/v1)", "demo-model", "--port", "0", "--malformed-rate", "0.3", "--seed", "3")
        url = programs.start(
            r"^Digital Twin Lab: (http://\S+)$", "serve", "--demo", "--port", "0", DATA_DIR=str(folder / "data"),
            OPENAI_BASE_URL=model, OPENAI_API_KEY="any", LLM_MODEL="twinlab-demo", LLM_MAX_ATTEMPTS="1")
        token = sign_in(url, folder / "data" / "mail")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            client = Client(token, url=url)
            run = client.run(SURVEY, personas=TWINS, seed=7, progress=False)
            experiment = client.run(EXPERIMENT, personas=TWINS, seed=7, progress=False)

        def get(name, run=run):
            answer = requests.get(f"{url}/api/surveys/{run.survey_id}/simulation/{run.id}/responses/{name}",
                                  headers={"Authorization": f"Bearer {token}"}, timeout=60)
            answer.raise_for_status()
            path = folder / re.search(r'filename="(.+)"', answer.headers["content-disposition"])[1]
            path.write_bytes(answer.content)
            return path

        def csv(name, run=run):
            return pandas.read_csv(get(name, run), encoding="utf-8-sig", dtype=str, keep_default_na=False)

        labels, codes, lines = csv("wide.csv?raw=true"), csv("wide.csv?values=codes&raw=true"), csv("codebook.csv")
        failed = int((codes["warm"] == "").sum())
        assert 0 < failed < TWINS, f"{failed} of {TWINS} twins failed: nothing to compare"
        check_spss(get("wide.sav"), codes, lines, failed)
        check_stata(get("wide.dta"), codes, lines, failed)
        check_parquet(get("wide.parquet"), labels, lines)
        check_parquet(get("wide.parquet?values=codes"), codes, lines)
        check_long(get("export.parquet"), get("export.csv?raw=true"))
        check_experiment(get("wide.sav", experiment), get("wide.dta", experiment),
                         csv("wide.csv?values=codes&raw=true", experiment), csv("export.csv?raw=true", experiment))
        check_long(get("export.parquet", experiment), get("export.csv?raw=true", experiment))
        # The scripts open the file of codes, which is there.
        os.chdir(folder)
        check_python(get("read.py"), codes, lines)
        with_r = "(R is not installed: read.R was NOT run)"
        if shutil.which("Rscript"):
            check = f'\nstopifnot(nrow(data) == {TWINS}, levels(data[["drink."]])[2] == "Tea")\n'
            (folder / "check.R").write_text(get("read.R").read_text() + check)
            subprocess.run(["Rscript", "check.R"], check=True)
            with_r = "and R"
        print(f"pyreadstat, pandas, pyarrow {with_r} read of the files what wide.csv and export.csv have.")
    finally:
        programs.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

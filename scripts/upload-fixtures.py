"""Writes the same answers as SPSS and Stata files in many forms, as fixtures of the crate `evidence`.

    python3 -m venv venv && venv/bin/pip install pandas pyreadstat
    venv/bin/python scripts/upload-fixtures.py crates/evidence/tests/fixtures/upload

pyreadstat writes only little-endian files in UTF-8, and pandas writes no SPSS files. Files of other machines are converted here,
and pyreadstat must read them the same.
"""

import datetime
import struct
import sys
from pathlib import Path

import pandas as pd
import pyreadstat

FOLDER = Path(sys.argv[1])
PEOPLE = pd.DataFrame({
    "pid": ["p1", "p2", "p3", "p4"],
    "visits": [1.0, 2.0, 3.0, 9.0],
    "Fair": [7.0, 3.0, None, 1.0],
    "How_much_would_you_pay": [12.5, 0.1, None, 1234567.0],
    "Q3_1": [1.0, 2.0, None, 1.0],
    "Q3_2": [2.0, 1.0, None, 1.0],
    "Q3_4": [2.0, 2.0, None, 1.0],
    "email": ["ada@test.example", "bob@test.example", "", "zoe@test.example"],
    "seen": [datetime.date(2026, 11, 25), datetime.date(1960, 1, 2), None, datetime.date(1600, 2, 29)],
    "drink": ["T", "C", "", "X"],
    "meal": ["vegetarian", "omnivorous", "", "refused"],
    "why": ["Café", "long " * 60 + "end", "", "naïve"],
})
LABELS = {
    "visits": "How often do you go?", "Fair": "How fair is it?", "How_much_would_you_pay": "How much would you pay?",
    "Q3_1": "Which? - Tea", "Q3_2": "Which? - Coffee", "Q3_4": "Which? - Other", "why": "Why is it so, in Zürich?",
}
YES = {1: "Yes", 2: "No"}
CODES = {
    "visits": {1: "Never", 2: "Often", 3: "Always", 9: "No answer"}, "Fair": {1: "Not at all", 7: "Very fair"},
    "Q3_1": YES, "Q3_2": YES, "Q3_4": YES,
}


def sav(name, **options):
    pyreadstat.write_sav(
        PEOPLE, FOLDER / name, column_labels=LABELS | {"seen": "Seen – for 5 €"},
        variable_value_labels=CODES | {"drink": {"T": "Tea", "C": "Coffee"}, "meal": {"vegetarian": "No meat"}},
        missing_ranges={"visits": [{"lo": 8, "hi": 10}], "drink": ["X"], "meal": ["refused"]}, **options)


class Turned:
    """An uncompressed SPSS file of a machine whose lowest byte comes last, or in another encoding."""

    def __init__(self, source, big, encoding):
        self.source, self.at, self.out = source, 0, bytearray()
        self.order, self.encoding = ">" if big else "<", encoding
        self.widths = []

    def raw(self, count):
        part = self.source[self.at:self.at + count]
        assert len(part) == count
        self.at += count
        self.out += part
        return part

    def number(self, kind="i"):
        size = struct.calcsize(kind)
        (number,) = struct.unpack_from("<" + kind, self.source, self.at)
        self.at += size
        self.out += struct.pack(self.order + kind, number)
        return number

    def text(self, count):
        """Keeps the number of bytes: other characters are shorter, and blanks fill."""
        part = self.source[self.at:self.at + count].decode()
        self.at += count
        self.out += part.encode(self.encoding).ljust(count)

    def whole(self):
        self.raw(64)
        layout, units, compression = self.number(), self.number(), self.number()
        assert (layout, compression) == (2, 0)
        self.number(), self.number(), self.number("d"), self.raw(84)
        while (kind := self.number()) != 999:
            {2: self.variable, 3: self.labels, 7: self.extension}[kind]()
        self.number()
        while self.at < len(self.source):
            self.case()
        return bytes(self.out)

    def variable(self):
        width, has_label, missing = self.number(), self.number(), self.number()
        self.number(), self.number(), self.raw(8)
        if has_label:
            length = self.number()
            self.text(length)
            self.raw(-length % 4)
        for _ in range(abs(missing)):
            self.raw(8) if width else self.number("d")
        if width >= 0:
            self.widths.append(width)

    def labels(self):
        # Only those of texts have letters for values.
        for _ in range(self.number()):
            self.raw(8) if self.source[self.at:self.at + 1] in b"TC" else self.number("d")
            length = self.raw(1)[0]
            self.text(length)
            self.raw(-(length + 1) % 8)
        assert self.number() == 4
        for _ in range(self.number()):
            self.number()

    def extension(self):
        kind = self.number()
        at = len(self.out)
        size, count = self.number(), self.number()
        if kind == 20:
            self.at += count
            self.out[at + 4:] = struct.pack(self.order + "i", len(self.encoding)) + self.encoding.encode()
        elif kind == 21:
            end = self.at + count
            while self.at < end:
                self.counted(), self.number()
                for _ in range(self.number()):
                    self.counted(), self.counted()
        elif kind == 22:
            end = self.at + count
            while self.at < end:
                self.counted()
                values, length = self.raw(1)[0], self.number()
                self.raw(values * length)
        elif size == 1:
            self.raw(count)
        else:
            for place in range(count):
                number = self.number({4: "i", 8: "d"}[size])
                if (kind, place) == (3, 6) and self.order == ">":
                    self.out[-4:] = struct.pack(">i", 1)
                elif (kind, place) == (3, 7) and self.encoding != "utf-8":
                    self.out[-4:] = struct.pack(self.order + "i", 1252)

    def counted(self):
        self.raw(self.number())

    def case(self):
        for width in self.widths:
            self.text(width + -width % 8) if width else self.number("d")


def turned(name, source, big=False, encoding="utf-8"):
    (FOLDER / name).write_bytes(Turned((FOLDER / source).read_bytes(), big, encoding).whole())
    for one, other in zip(pyreadstat.read_sav(FOLDER / name), pyreadstat.read_sav(FOLDER / source)):
        if isinstance(one, pd.DataFrame):
            pd.testing.assert_frame_equal(one, other)
        else:
            assert one.column_names_to_labels == other.column_names_to_labels
            assert one.variable_value_labels == other.variable_value_labels


def stata_people(version):
    """Texts of old files have few bytes, and no file has labels of texts."""
    people = PEOPLE.drop(columns=["drink", "meal"])
    people["why"] = people["why"].str.slice(0, 120 if version < 13 else None).str.strip()
    return people


def dta(name, version):
    people = stata_people(version)
    people["visits"] = people["visits"].astype(object).where(people["visits"] != 9, "a")
    codes = CODES | {"visits": {1: "Never", 2: "Often", 3: "Always", "a": "No answer"}}
    pyreadstat.write_dta(people, FOLDER / name, version=version, column_labels=LABELS, variable_value_labels=codes,
                         missing_user_values={"visits": ["a"]})


def big_dta(name, release):
    """Of a machine whose lowest byte comes last, with numbers of all sizes and texts after the rows."""
    people = stata_people(12 if release < 117 else 13)
    people["visits"] = people["visits"].where(people["visits"] != 9)
    days = [None if day is None else str(day) for day in people["seen"]]
    people["seen"] = pd.to_datetime(pd.Series(days)).astype("datetime64[s]")
    types = {"Fair": "float32", "How_much_would_you_pay": "float32", "Q3_1": "Int8", "Q3_2": "Int16", "Q3_4": "Int32"}
    codes = CODES | {"visits": {1: "Never", 2: "Often", 3: "Always"}}
    people.astype(types).to_stata(
        FOLDER / name, version=release, byteorder="big", write_index=False, variable_labels=LABELS, value_labels=codes,
        convert_strl=["why"] if release >= 117 else None, convert_dates={"seen": "td"})


FOLDER.mkdir(parents=True, exist_ok=True)
sav("plain.sav")
sav("bytecode.sav", row_compress=True)
sav("packed.zsav", compress=True)
turned("big.sav", "plain.sav", big=True)
turned("latin.sav", "plain.sav", encoding="cp1252")
for release, version in ((113, 8), (114, 10), (115, 12), (117, 13), (118, 14), (119, 15)):
    dta(f"release{release}.dta", version)
for release in (114, 117, 118):
    big_dta(f"big{release}.dta", release)

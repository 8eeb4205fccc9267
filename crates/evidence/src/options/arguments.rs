//! Options of a comparison on a command line.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

use super::ComparisonOptions;

/// Name and help of each argument that is given at most once.
const NAMES: [(&str, &str); 4] = [
    ("arm", "The column of the experiment's arm, in all files"),
    ("weight", "The column of weights, in the people's file"),
    ("twin-weight", "The column of weights, in the twins' files"),
    (
        "probability",
        "The column of the probability with which each person was drawn, in the people's file: see `evidence draw`",
    ),
];

/// Name and help of each argument that can be repeated.
const LISTS: [(&str, &str); 4] = [
    ("by", "Compare by this column of the people's file, too; can be repeated"),
    (
        "cell",
        "A column of both files: where no id is common, people are paired with the twins of their cell. With --probability what \
         estimates are regressed on. Repeated at most three times",
    ),
    (
        "regress",
        "A column of the twins' file that answers of people and of their twins are regressed on; can be repeated",
    ),
    (
        "adjust",
        "A question asked before the arms, or a column of the twins' file, for which effects of arms are adjusted by regression; \
         can be repeated",
    ),
];

impl Args for ComparisonOptions {
    fn augment_args(command: Command) -> Command {
        let column =
            |(name, help): (&'static str, &'static str)| Arg::new(name).long(name).value_name("COLUMN").help(help);
        let repeated = |name: &'static str, value: &'static str, help: &'static str| {
            Arg::new(name).long(name).value_name(value).help(help).action(ArgAction::Append)
        };
        command
            .args(NAMES.map(column))
            .args(LISTS.map(|of| column(of).action(ArgAction::Append)))
            .arg(
                repeated(
                    "margin",
                    "COLUMN=LEVEL=SHARE",
                    "Shares to which people are weighted, and twins that have the column; repeated for each level, as \
                     Gender=Female=0.52",
                )
                .value_parser(margin),
            )
            .arg(
                repeated(
                    "cell-share",
                    "CELL=SHARE",
                    "The share of a cell in the population, 0 to 1, in place of the twins' own; repeated for each cell, which is \
                     named by its values in the order of --cell, as \"Female · 18-29=0.11\"",
                )
                .value_parser(cell_share)
                .requires("cell"),
            )
            .arg(
                repeated(
                    "outcome",
                    "NAME=QUESTION",
                    "A question that is part of one outcome of the arms, as a copy of which each arm has its own; repeated for \
                     each question of the outcome",
                )
                .value_parser(outcome),
            )
            .arg(
                repeated(
                    "formula",
                    "NAME=FORMULA",
                    "An outcome that is computed from several questions, as trust=\"mean(honest, reverse(greedy))\"; can be repeated",
                )
                .value_parser(formula),
            )
            .arg(
                repeated(
                    "match",
                    "QUESTION=COLUMN",
                    "The column that a question has in the people's file, in place of the automatic match; without a column none. \
                     Repeated for a question with several answers: a column for each option, in their order",
                )
                .value_parser(matching),
            )
            .arg(
                repeated(
                    "recode",
                    "QUESTION=CELL=ANSWER",
                    "What a cell of the people's file is: the label or the code of an option, or a number; without an answer it is \
                     missing. Labels of several answers are joined by commas. The last = parts cell and answer. Can be repeated",
                )
                .value_parser(recode),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ComparisonOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let name = |argument: &str| matches.get_one::<String>(argument).cloned();
        let list = |argument: &str| matches.get_many::<String>(argument).into_iter().flatten().cloned().collect();
        let mut options = Self {
            arm: name("arm"),
            weight: name("weight"),
            twin_weight: name("twin-weight"),
            probability: name("probability"),
            by: list("by"),
            cells: list("cell"),
            regress: list("regress"),
            adjust: list("adjust"),
            ..Self::default()
        };
        for (column, level, share) in matches.get_many::<Margin>("margin").into_iter().flatten().cloned() {
            options.margins.entry(column).or_default().insert(level, share);
        }
        let shares: BTreeMap<String, f64> =
            matches.get_many::<CellShare>("cell-share").into_iter().flatten().cloned().collect();
        options.cell_shares = (!shares.is_empty()).then_some(shares);
        for (name, question) in matches.get_many::<Matched>("outcome").into_iter().flatten().cloned() {
            options.outcomes.entry(name).or_default().push(question);
        }
        options.formulas = matches.get_many::<Matched>("formula").into_iter().flatten().cloned().collect();
        for (question, column) in matches.get_many::<Matched>("match").into_iter().flatten().cloned() {
            let columns = options.matching.entry(question).or_default();
            columns.extend((!column.is_empty()).then_some(column));
        }
        for (question, cell, answer) in matches.get_many::<Recode>("recode").into_iter().flatten().cloned() {
            options.recodes.entry(question).or_default().insert(cell, answer);
        }
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

type Margin = (String, String, f64);
type CellShare = (String, f64);
type Matched = (String, String);
type Recode = (String, String, Option<String>);

fn matching(argument: &str) -> Result<Matched, String> {
    two_parts(argument, "QUESTION=COLUMN")
}

fn outcome(argument: &str) -> Result<Matched, String> {
    two_parts(argument, "NAME=QUESTION")
}

fn formula(argument: &str) -> Result<Matched, String> {
    two_parts(argument, "NAME=FORMULA")
}

fn two_parts(argument: &str, form: &str) -> Result<Matched, String> {
    let (first, second) = argument.split_once('=').ok_or_else(|| format!("must be {form}"))?;
    Ok((first.to_owned(), second.to_owned()))
}

fn three_parts<'a>(argument: &'a str, form: &str) -> Result<(&'a str, &'a str, &'a str), String> {
    let parts = argument.split_once('=').and_then(|(first, rest)| Some((first, rest.rsplit_once('=')?)));
    let (first, (second, third)) = parts.ok_or_else(|| format!("must be {form}"))?;
    Ok((first, second, third))
}

fn recode(argument: &str) -> Result<Recode, String> {
    let (question, cell, answer) = three_parts(argument, "QUESTION=CELL=ANSWER")?;
    Ok((question.to_owned(), cell.to_owned(), (!answer.is_empty()).then(|| answer.to_owned())))
}

fn margin(argument: &str) -> Result<Margin, String> {
    let (column, level, share) = three_parts(argument, "COLUMN=LEVEL=SHARE")?;
    Ok((column.to_owned(), level.to_owned(), number_of_share(share)?))
}

fn cell_share(argument: &str) -> Result<CellShare, String> {
    let (cell, share) = argument.rsplit_once('=').ok_or("must be CELL=SHARE")?;
    Ok((cell.to_owned(), number_of_share(share)?))
}

fn number_of_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "the share must be a number from 0 to 1".to_owned())
}

//! `analysis/tables/`: all estimates in four tables.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use evidence::groups::{AdjustedTest, AnalysisKind, EffectSize};
use export::csv::{self, TableCell, ends, line, number};

use crate::analysis::estimates::{EstimateGroup, Estimates};
use crate::analysis::significance::NodeTest;

/// A table with its columns: name, type of Data Package, and what it holds.
pub struct TableShape {
    pub path: &'static str,
    pub columns: &'static [(&'static str, &'static str, &'static str)],
}

const QUESTION: (&str, &str, &str) = ("question", "string", "The question's name");
const ROW: (&str, &str, &str) = ("row", "string", "The row of a matrix, or the option that was rated or ranked");
const NODE: (&str, &str, &str) = ("node", "string", "The random node that dealt the arm; empty: all twins");
const ARM: (&str, &str, &str) = ("arm", "string", "The arm of the twins; empty: all twins");
const N: (&str, &str, &str) = ("n", "integer", "Twins who answered");
const LOW: (&str, &str, &str) = ("low", "number", "Lower end of the 95 % interval");
const HIGH: (&str, &str, &str) = ("high", "number", "Upper end of the 95 % interval");
const ANALYSIS: (&str, &str, &str) =
    ("analysis", "string", "preregistered or exploratory, by the study's frozen plan; empty: there is none");

pub const TABLES: [TableShape; 5] = [
    TableShape {
        path: "analysis/tables/questions.csv",
        columns: &[
            QUESTION,
            ("text", "string", "The question"),
            ("type", "string", "The question's type"),
            ("answered", "integer", "Requests with an answer"),
            ("failed", "integer", "Requests without a valid answer"),
            ("notShown", "integer", "Twins to which the design did not show it"),
            ("open", "integer", "Requests that have not ended"),
        ],
    },
    TableShape {
        path: "analysis/tables/shares.csv",
        columns: &[
            QUESTION,
            ROW,
            ("option", "string", "The option, label or interval of numbers"),
            NODE,
            ARM,
            N,
            ("count", "integer", "Twins who answered so"),
            ("share", "number", "count / n"),
            LOW,
            HIGH,
            ANALYSIS,
        ],
    },
    TableShape {
        path: "analysis/tables/means.csv",
        columns: &[
            QUESTION,
            ROW,
            NODE,
            ARM,
            N,
            ("mean", "number", "Mean of the numbers, ratings (1: the first label), ranks or scores"),
            ("sd", "number", "Sample standard deviation"),
            LOW,
            HIGH,
            ANALYSIS,
        ],
    },
    TableShape {
        path: "analysis/tables/effects.csv",
        columns: &[
            QUESTION,
            ROW,
            ("option", "string", "The option whose shares are compared; empty: means are"),
            NODE,
            ("arm", "string", "The arm"),
            ("base", "string", "The arm that it is compared with"),
            ("difference", "number", "The arm less the base"),
            LOW,
            HIGH,
            ("t", "number", "Welch's t, of means"),
            ("df", "number", "Its degrees of freedom"),
            ("p", "number", "Its two-sided p, as found"),
            (
                "adjustedP",
                "number",
                "p adjusted over the tests of all questions between an arm of the node and the first, by the rule of \
                 analysis.json",
            ),
            ("d", "number", "Cohen's d"),
            ANALYSIS,
        ],
    },
    TableShape {
        path: "analysis/tables/tests.csv",
        columns: &[
            QUESTION,
            ("part", "string", "The row of a matrix, or the option; empty: the whole question"),
            ("node", "string", "The random node whose arms are tested"),
            ("method", "string", "chi_squared, welch_t or welch_anova"),
            ("statistic", "number", "Chi-squared, t or F; empty where there is no test: too few answers, or all alike"),
            ("df", "number", "Its degrees of freedom"),
            ("df2", "number", "Denominator degrees of freedom of F"),
            ("p", "number", "Its two-sided p, as found"),
            ("adjustedP", "number", "p adjusted over the tests of the family, by the adjustment"),
            ("adjustment", "string", "benjamini_hochberg, holm, bonferroni or none"),
            ("familySize", "integer", "Tests that are counted together: those of the node and of the same analysis"),
            ("alpha", "number", "An adjusted p below it is called a difference"),
            ("verdict", "string", "differs, no_clear_difference or cannot_tell"),
            ("effectMeasure", "string", "v: Cramer's V; d: Cohen's d, the first arm less the second; eta_squared"),
            ("effect", "number", "The effect"),
            ("effectLow", "number", "Lower end of its 95 % interval, by the noncentral distribution of the statistic"),
            ("effectHigh", "number", "Upper end of its 95 % interval; both empty where p is rough"),
            ("effectSize", "string", "negligible, small, medium or large (Cohen 1988)"),
            ("isRough", "boolean", "Few answers are expected in many cells: p is rough"),
            ANALYSIS,
        ],
    },
];

/// The tables while they are written.
pub struct TableFiles {
    files: [BufWriter<File>; 5],
}

impl TableFiles {
    pub fn create(root: &Path) -> io::Result<Self> {
        let create = |shape: &TableShape| {
            let mut out = BufWriter::new(File::create(root.join(shape.path))?);
            let names: Vec<&str> = shape.columns.iter().map(|(name, ..)| *name).collect();
            out.write_all(&csv::head(&names))?;
            io::Result::Ok(out)
        };
        let [questions, shares, means, effects, tests] = &TABLES;
        let files = [create(questions)?, create(shares)?, create(means)?, create(effects)?, create(tests)?];
        Ok(Self { files })
    }

    /// Appends the rows of a question.
    pub fn write(&mut self, of: &Estimates<'_>) -> io::Result<()> {
        use TableCell::{Value, Words};
        let [questions, shares, means, effects, tests] = &mut self.files;
        let name = || Words(&of.name);
        let mark = |analysis: Option<AnalysisKind>| [Words(analysis.map_or("", AnalysisKind::name))];
        let outcomes = of.outcomes;
        let counts = [outcomes.answered, outcomes.failed, outcomes.not_shown, outcomes.open];
        let about = [name(), Words(of.label), Words(of.question.question_type.name())];
        line(questions, about.into_iter().chain(counts.map(|count| Value(count.into()))))?;
        for each in &of.shares {
            let counted = [Value(each.n.into()), Value(each.count.into()), number(Some(each.share))];
            let cells = [name(), Words(&each.of.row), Words(&each.option)].into_iter().chain(group(&each.of.group));
            line(shares, cells.chain(counted).chain(ends(Some(each.interval))).chain(mark(each.of.analysis)))?;
        }
        for each in &of.means {
            let moments = [Value(each.n.into()), number(Some(each.mean)), number(each.sd)];
            let cells = [name(), Words(&each.of.row)].into_iter().chain(group(&each.of.group));
            line(means, cells.chain(moments).chain(ends(each.interval)).chain(mark(each.of.analysis)))?;
        }
        for each in &of.effects {
            let cells = [name(), Words(&each.of.row), Words(&each.option)].into_iter().chain(group(&each.of.group));
            let difference = [Words(&each.base), number(Some(each.difference))];
            let [t, df, p, d] = each.test.map_or([None; 4], |test| test.map(Some));
            let test = [t, df, p, each.adjusted_p, d].map(number);
            let cells = cells.chain(difference).chain(ends(Some(each.interval))).chain(test);
            line(effects, cells.chain(mark(each.of.analysis)))?;
        }
        for NodeTest { node, test, .. } in &of.tests {
            let figures = [test.statistic, test.df, test.df2, test.p, test.adjusted.p].map(number);
            let about = [name(), Words(&test.part), Words(node), Words(test.method.name())];
            let AdjustedTest { adjustment, family_size, alpha, verdict, analysis, .. } = test.adjusted;
            let family = [Words(adjustment.name()), Value(family_size.into()), number(Some(alpha))];
            let effect = [
                Words(verdict.name()),
                Words(test.effect_measure.name()),
                number(test.effect),
                number(test.effect_low),
                number(test.effect_high),
                Words(test.effect_size.map_or("", EffectSize::name)),
                Value(test.is_rough.into()),
            ];
            let cells = about.into_iter().chain(figures).chain(family).chain(effect);
            line(tests, cells.chain(mark(analysis)))?;
        }
        Ok(())
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.files.iter_mut().try_for_each(Write::flush)
    }
}

fn group(of: &EstimateGroup) -> [TableCell<'_>; 2] {
    [TableCell::Words(&of.node), TableCell::Words(&of.arm)]
}

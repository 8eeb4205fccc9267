//! Figures as rows of one tidy table, which every table, file and command writes.

use std::borrow::Cow;

use serde::Serialize;

use crate::calibration::{Calibration, NumberScores, Scores};
use crate::compare::{ArmTable, Comparison, Contrast, ItemComparison, ItemRegression, MetricValue, Subgroup};
use crate::effects::Difference;
use crate::formula::{ComputedOutcome, ScaleReliability};
use crate::groups::AdjustedTest;
use crate::intervals::Estimate;
use crate::multiplicity::Multiplicity;
use crate::people::PeopleFigures;
use crate::rectified::{self, RectifiedTable};
use crate::reliability::Repeats;

/// One figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FigureRow {
    /// The question's name, or a row of a matrix. Empty for figures over all questions.
    pub question: String,
    /// The arm that the figure is about. Empty for all arms.
    pub arm: String,
    /// The option, the level of an attribute or the subgroup that the figure is about.
    pub option: String,
    /// The name of the figure in `docs/evidence.md`.
    pub metric: String,
    pub value: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Number of answers, people or questions behind the figure.
    pub n: Option<usize>,
    /// Notice to be shown with the figure.
    pub note: Option<Cow<'static, str>>,
}

/// Names of the two sides of a comparison, as parts of the names of figures.
#[derive(Clone, Copy, Debug)]
pub struct SideNames {
    pub first: &'static str,
    pub second: &'static str,
}

/// Twins compared with people.
pub const PEOPLE: SideNames = SideNames { first: "people", second: "twins" };
/// A run compared with a reference run.
pub const RUNS: SideNames = SideNames { first: "reference", second: "run" };

impl FigureRow {
    pub fn new(question: &str, metric: impl Into<String>, value: f64) -> Self {
        Self { question: question.to_owned(), metric: metric.into(), value, ..Self::default() }
    }

    pub fn of_option(self, option: &str) -> Self {
        Self { option: option.to_owned(), ..self }
    }

    pub fn of_arm(self, arm: &str) -> Self {
        Self { arm: arm.to_owned(), ..self }
    }

    pub fn n(self, n: usize) -> Self {
        Self { n: Some(n), ..self }
    }

    pub fn interval(self, low: Option<f64>, high: Option<f64>) -> Self {
        Self { low, high, ..self }
    }

    fn estimate(question: &str, metric: impl Into<String>, of: &Estimate) -> Self {
        let row = Self::new(question, metric, of.value).n(of.n).interval(of.low, of.high);
        Self { note: of.note.map(Cow::Borrowed), ..row }
    }
}

impl MetricValue {
    pub fn row(&self, question: &str) -> FigureRow {
        FigureRow::estimate(question, self.metric, &self.estimate)
    }
}

impl AdjustedTest {
    /// The figure's name: by Benjamini and Hochberg over a whole table it is q.
    fn metric(&self) -> &'static str {
        if self.analysis.is_none() && self.adjustment == Multiplicity::BenjaminiHochberg { "q" } else { "adjusted p" }
    }
}

impl ItemComparison {
    /// Means, shares and their differences, with p, and all metrics.
    pub fn rows(&self, sides: SideNames) -> Vec<FigureRow> {
        let row = |metric: &str, value: Option<f64>| Some(FigureRow::new(&self.name, metric, value?));
        let n = self.n_people.min(self.n_twins);
        let mut rows = Vec::new();
        let SideNames { first, second } = sides;
        rows.extend(row(&format!("mean of {first}"), self.mean_people).map(|row| row.n(self.n_people)));
        rows.extend(row(&format!("mean of {second}"), self.mean_twins).map(|row| row.n(self.n_twins)));
        let difference = self.mean_twins.zip(self.mean_people).map(|(second, first)| second - first);
        rows.extend(row("mean difference", difference).map(|row| row.n(n).interval(self.low, self.high)));
        rows.extend(row("d", self.d).map(|row| row.n(n)));
        let (adjusted, of) = (self.adjusted.metric(), self.adjusted.p);
        for (metric, value) in [("p", self.p), (adjusted, of), ("p of KS", self.ks_p)] {
            rows.extend(row(metric, value).map(|row| row.n(n)));
        }
        rows.extend(self.metrics.iter().map(|of| of.row(&self.name)));
        for option in &self.options {
            let share = |side: &str, value, n| FigureRow::new(&self.name, format!("share of {side}"), value).n(n);
            let difference = FigureRow::estimate(&self.name, "share difference", &option.difference);
            let of_option =
                [share(first, option.people, self.n_people), share(second, option.twins, self.n_twins), difference];
            rows.extend(of_option.map(|row| row.of_option(&option.label)));
        }
        rows
    }
}

impl Comparison {
    /// Figures over all questions.
    pub fn overall_rows(&self) -> Vec<FigureRow> {
        let all = &self.overall;
        let named = [
            ("accuracy", &all.accuracy),
            ("r", &all.r),
            ("r within person", &all.r_within_person),
            ("r of item means", &all.r_of_item_means),
        ];
        named.iter().filter_map(|(metric, of)| Some(FigureRow::estimate("", *metric, of.as_ref()?))).collect()
    }
}

impl Contrast {
    /// The figures of one contrast. `kind` is "effect" or "balance".
    fn rows(&self, kind: &str) -> Vec<FigureRow> {
        let row = |metric: String, value| FigureRow::new(&self.item, metric, value);
        let side = |metric: String, of: &Difference| {
            row(metric, of.difference).n(of.n_first + of.n_second).interval(Some(of.low), Some(of.high))
        };
        let d = |metric: String, of: &Difference| row(metric, of.d).interval(Some(of.d_low), Some(of.d_high));
        let gap = &self.agreement.gap;
        let adjusted =
            |name: &str, of: &AdjustedTest| row(format!("{} among {name}", of.metric()), of.p.unwrap_or(f64::NAN));
        let mut rows = vec![
            side(format!("{kind} among people"), &self.people),
            side(format!("{kind} among twins"), &self.twins),
            d(format!("d of {kind} among people"), &self.people),
            d(format!("d of {kind} among twins"), &self.twins),
            row("difference of effects".to_owned(), gap.difference).interval(Some(gap.low), Some(gap.high)),
            adjusted("people", &self.adjusted_people),
            adjusted("twins", &self.adjusted_twins),
        ];
        let with_covariates = [("people", &self.people_adjusted), ("twins", &self.twins_adjusted)];
        rows.extend(
            with_covariates
                .into_iter()
                .filter_map(|(name, of)| Some(side(format!("regression-adjusted {kind} among {name}"), of.as_ref()?))),
        );
        let option = self.category.as_deref().unwrap_or_default();
        rows.into_iter().map(|row| row.of_arm(&self.arm).of_option(option)).collect()
    }
}

impl ArmTable {
    /// The effects of each arm, the differences between twins' and people's, how well they agree, and the balance of the
    /// arms.
    pub fn rows(&self) -> Vec<FigureRow> {
        let mut rows: Vec<FigureRow> = self.effects.iter().flat_map(|effect| effect.rows("effect")).collect();
        if let Some(all) = &self.agreement {
            rows.push(FigureRow::estimate("", "same sign", &all.sign_agreement));
            let holds = FigureRow::new("", "people's interval holds twins' effect", all.people_hold_twins);
            rows.push(holds.n(all.effects));
            let named = [
                ("sensitivity", &all.sensitivity),
                ("sensitivity by adjusted p", &all.shown.sensitivity),
                ("false alarms by adjusted p", &all.shown.false_alarms),
                ("r of effects", &all.r),
                ("slope of effects", &all.slope),
                ("deattenuated r of effects", &all.deattenuated_r),
                ("deattenuated slope of effects", &all.deattenuated_slope),
            ];
            rows.extend(named.iter().filter_map(|(metric, of)| Some(FigureRow::estimate("", *metric, of.as_ref()?))));
            let counts = &all.shown.counts;
            let counted = [
                ("effects shown by both", counts.both),
                ("effects shown by people only", counts.people_only),
                ("effects shown by twins only", counts.twins_only),
                ("effects shown by neither", counts.neither),
            ];
            rows.extend(counted.map(|(metric, count)| FigureRow::new("", metric, count as f64).n(all.effects)));
            let chance = FigureRow::new("", "agreement by chance", all.shown.agree_by_chance / all.effects as f64);
            rows.push(chance.n(all.effects));
        }
        rows.extend(self.balance.iter().flat_map(|check| check.rows("balance")));
        rows
    }
}

impl Subgroup {
    pub fn rows(&self) -> Vec<FigureRow> {
        let name = format!("{} = {}", self.attribute, self.value);
        let mut rows = vec![FigureRow::estimate("", "accuracy", &self.accuracy)];
        rows.extend(self.gap.as_ref().map(|gap| FigureRow::estimate("", "accuracy less the others'", gap)));
        for question in &self.questions {
            rows.extend(question.metrics.iter().map(|of| of.row(&question.name)));
        }
        rows.into_iter().map(|row| row.of_option(&name)).collect()
    }
}

impl ItemRegression {
    pub fn rows(&self) -> Vec<FigureRow> {
        let of_term = |term: &crate::compare::Coefficient| {
            let named = [
                ("coefficient of people", term.people),
                ("standard error of people", term.people_error),
                ("coefficient of twins", term.twins),
                ("standard error of twins", term.twins_error),
                ("p of the difference of coefficients", term.p),
            ];
            named.map(|(metric, value)| FigureRow::new(&self.name, metric, value).n(self.pairs).of_option(&term.term))
        };
        self.terms.iter().flat_map(of_term).collect()
    }
}

impl RectifiedTable {
    pub fn rows(&self) -> Vec<FigureRow> {
        let of_estimate = |row: &rectified::RectifiedRow| {
            let of = &row.figures;
            let figure = |metric: &str, of: &rectified::Figure, n| {
                FigureRow::new(&row.name, metric, of.estimate).n(n).interval(Some(of.low), Some(of.high))
            };
            let rows = [
                figure("estimate of people", &of.people, of.n),
                figure("estimate of twins", &of.twins, of.others),
                FigureRow { note: of.note.map(Cow::Borrowed), ..figure("rectified estimate", &of.rectified, of.n) },
                FigureRow::new(&row.name, "effective people", of.n_effective).n(of.n),
            ];
            let by_estimators = of.estimators.iter().map(|by| {
                let row = figure(&format!("effect by {}", by.name), &by.figure, of.n);
                FigureRow { note: by.reported.then_some(Cow::Borrowed("reported")), ..row }
            });
            let rows: Vec<FigureRow> = rows.into_iter().chain(by_estimators).collect();
            let option = row.category.as_ref().or(row.term.as_ref()).map(String::as_str).unwrap_or_default();
            let arm = row.arm.as_deref().unwrap_or_default();
            rows.into_iter().map(|row| row.of_option(option).of_arm(arm)).collect::<Vec<_>>()
        };
        self.estimates.iter().flat_map(of_estimate).collect()
    }
}

impl ComputedOutcome {
    /// The reliability of the scale on both sides.
    fn rows(&self) -> Vec<FigureRow> {
        let side = |name: &str, of: &Option<ScaleReliability>| {
            let named = [("alpha", of.map(|of| of.alpha)), ("omega", of.and_then(|of| of.omega))];
            let n = of.map_or(0, |of| of.n);
            named.map(|(metric, value)| {
                Some(FigureRow::new(&self.name, format!("{metric} of scale among {name}"), value?).n(n))
            })
        };
        side("people", &self.people).into_iter().chain(side("twins", &self.twins)).flatten().collect()
    }
}

impl Calibration {
    /// The scores over all questions, then those of each question.
    pub fn rows(&self) -> Vec<FigureRow> {
        let each = self.questions.iter().flat_map(|of| of.scores.rows(&of.name));
        let numbers = self.numbers.iter().flat_map(NumberScores::rows);
        self.all.rows("").into_iter().chain(each).chain(numbers).collect()
    }
}

impl NumberScores {
    fn rows(&self) -> Vec<FigureRow> {
        let named = [
            ("CRPS", Some(&self.crps)),
            ("CRPS of people", Some(&self.crps_of_people)),
            ("forecasts: SD ratio", self.spread.as_ref()),
        ];
        named.into_iter().filter_map(|(metric, of)| Some(FigureRow::estimate(&self.name, metric, of?))).collect()
    }
}

impl Scores {
    fn rows(&self, question: &str) -> Vec<FigureRow> {
        let named = [
            ("Brier", Some(&self.brier)),
            ("Brier of shares", Some(&self.brier_of_shares)),
            ("NLL", Some(&self.log_loss)),
            ("RPS", self.ranked_probability.as_ref()),
            ("ECE", Some(&self.expected_calibration_error)),
            ("Brier gain over shares", Some(&self.gain)),
            ("forecasts: SD ratio", self.spread.as_ref()),
        ];
        named.into_iter().filter_map(|(metric, of)| Some(FigureRow::estimate(question, metric, of?))).collect()
    }
}

impl Repeats {
    pub fn rows(&self, question: &str) -> Vec<FigureRow> {
        let named = [
            ("identical", Some(self.identical)),
            ("ICC", self.icc),
            ("alpha", self.alpha),
            ("repeats for an ICC of .9", self.repeats_for_90.map(|repeats| repeats as f64)),
        ];
        named
            .into_iter()
            .filter_map(|(metric, value)| Some(FigureRow::new(question, metric, value?).n(self.twins)))
            .collect()
    }
}

impl PeopleFigures {
    /// All figures, in the order of their sections.
    pub fn rows(&self) -> Vec<FigureRow> {
        let Comparison { questions, arms, groups, .. } = &self.comparison;
        let mut rows: Vec<FigureRow> = questions.iter().flat_map(|item| item.rows(PEOPLE)).collect();
        rows.extend(self.comparison.overall_rows());
        rows.extend(arms.iter().flat_map(ArmTable::rows));
        rows.extend(groups.iter().flat_map(Subgroup::rows));
        rows.extend(self.regressions.iter().flat_map(ItemRegression::rows));
        rows.extend(self.rectified.rows());
        rows.extend(self.formulas.iter().flat_map(ComputedOutcome::rows));
        rows.extend(self.calibration.iter().flat_map(Calibration::rows));
        rows
    }
}

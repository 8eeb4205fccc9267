//! All figures of a comparison of people's answers with those of twins.

mod outcomes;
mod weights;

use serde::Serialize;

use crate::calibration::{Calibration, calibrate, forecasts, number_forecasts};
use crate::compare::{
    CompareRefused, Comparison, Experiment, Item, ItemRegression, KeyedScale, Respondents, Settings,
    compare_experiment, pitfalls, regressions, scale_pitfalls,
};
use crate::diagnostics::{Diagnosis, Thresholds};
use crate::formula::ComputedOutcome;
use crate::intervals::Bootstrap;
use crate::options::ComparisonOptions;
use crate::rectified::{self, RectifiedTable};

use outcomes::Computed;
pub use outcomes::{computed_items, placed};
pub use weights::{Weighting, margin_weights, weigh};

/// Figures of a comparison of twins with people.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PeopleFigures {
    #[serde(flatten)]
    pub comparison: Comparison,
    pub rectified: RectifiedTable,
    /// Weights of people and twins; null if all weights are equal.
    pub weights: Option<Weighting>,
    /// Regressions on the attributes in `regress`, for questions with numbers or an order.
    pub regressions: Vec<ItemRegression>,
    /// Diagnostics that need answers of people or repeats, which a run's own `diagnostics` do not have.
    pub diagnostics: Vec<Diagnosis>,
    /// Outcomes that formulas compute. They are among the questions and effects, too.
    pub formulas: Vec<ComputedOutcome>,
    /// Scores of repeats as forecasts, if there are repeats.
    #[serde(skip)]
    pub calibration: Option<Calibration>,
}

/// The survey that people and twins answered.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredSurvey<'a> {
    pub items: &'a [Item],
    /// Scales of the items.
    pub scales: &'a [KeyedScale],
    /// The experiment whose arms the respondents have, as the survey's design knows it. Outcomes and covariates are those of
    /// the options.
    pub experiment: &'a Experiment,
}

/// Computes the figures of people and twins, after weighting them. Further `twins` are repeats of the first. Fails
/// with a sentence if a side lists an id twice, shares cannot be reached, or a formula is none.
pub fn figures(
    survey: AnsweredSurvey<'_>,
    people: &mut Respondents,
    twins: &mut [Respondents],
    options: &ComparisonOptions,
    bootstrap: Bootstrap,
    thresholds: &Thresholds,
) -> Result<PeopleFigures, String> {
    let AnsweredSurvey { items: asked, scales, experiment } = survey;
    let Computed { items, outcomes: formulas } = outcomes::compute(asked, people, twins, &options.formulas)?;
    let items = items.as_slice();
    let experiment = options.experiment(&placed(experiment, &options.formulas, asked)?, items)?;
    let weights = weigh(people, twins, options)?;
    let regressions = twins.first().map(|first| regressions(items, people, first, &options.regress));
    let regressions = regressions.unwrap_or(Ok(Vec::new())).map_err(|reason| format!("regress: {reason}"))?;
    let attributes: Vec<String> = options.by.iter().chain(&options.regress).cloned().collect();
    let is_covariate = |name: &String| options.adjust.contains(name);
    let of_twins: Vec<_> = twins.iter().map(|side| side.attributes.clone()).collect();
    // Only the attributes in `by` and `cells` make groups.
    people.attributes.retain(|name, _| options.by.contains(name) || options.cells.contains(name) || is_covariate(name));
    twins
        .iter_mut()
        .for_each(|side| side.attributes.retain(|name, _| options.cells.contains(name) || is_covariate(name)));
    let refused = |refusal: CompareRefused| format!("file: {refusal}");
    let first = twins.first().ok_or("there are no twins to compare")?;
    let comparison =
        compare_experiment(items, people, first, &experiment, Settings { bootstrap, ..Settings::default() })
            .map_err(refused)?;
    let rectified =
        rectified::table(items, people, first, &options.cells, options.cell_shares.as_ref(), bootstrap.level)
            .unwrap_or_else(|refusal| RectifiedTable::refused(&refusal));
    let calibration = match twins.len() {
        1 if first.forecasts.is_empty() => None,
        count => {
            let twins: Vec<&Respondents> = twins.iter().collect();
            let options = forecasts(items, people, &twins).map_err(refused)?;
            let numbers = number_forecasts(items, people, &twins).map_err(refused)?;
            calibrate(&options, &numbers, people.ids.len(), count, bootstrap)
        }
    };
    twins.iter_mut().zip(of_twins).for_each(|(side, attributes)| side.attributes = attributes);
    let mut found = pitfalls(asked, people, twins, &comparison, &attributes, thresholds, bootstrap);
    if let Some(first) = twins.first() {
        found.extend(scale_pitfalls(scales, people, first, thresholds));
    }
    let diagnostics =
        found.into_iter().map(|(diagnostic, findings)| Diagnosis::of_people(diagnostic, findings)).collect();
    Ok(PeopleFigures { comparison, rectified, weights, regressions, diagnostics, formulas, calibration })
}

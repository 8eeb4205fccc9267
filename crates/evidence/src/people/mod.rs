//! All figures that people's answers and those of twins give together.

mod weights;

use serde::Serialize;

use crate::calibration::{Calibration, calibrate, forecasts};
use crate::compare::{
    CompareRefused, Comparison, Item, ItemRegression, KeyedScale, Respondents, Settings, compare, pitfalls,
    regressions, scale_pitfalls,
};
use crate::diagnostics::{Diagnosis, Thresholds};
use crate::intervals::Bootstrap;
use crate::options::ComparisonOptions;
use crate::rectified::{self, RectifiedTable};

pub use weights::{Weighting, margin_weights, weigh};

/// Twins beside people, with what follows from both.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PeopleFigures {
    #[serde(flatten)]
    pub comparison: Comparison,
    pub rectified: RectifiedTable,
    /// Weights of people and twins; null: everybody counts the same.
    pub weights: Option<Weighting>,
    /// With `regress`: least squares of the questions with numbers or an order.
    pub regressions: Vec<ItemRegression>,
    /// Pitfalls that a run's `diagnostics` have no data for: of these people and, where twins were asked several times, repeats.
    pub diagnostics: Vec<Diagnosis>,
    /// Scores of repeats as forecasts, if there are repeats.
    #[serde(skip)]
    pub calibration: Option<Calibration>,
}

/// The figures of people and of twins, which are weighted first; further `twins` are repeats of the first ones. `scales` are those
/// of the items. Fails in words where an id is listed twice on a side, or shares cannot be reached.
pub fn figures(
    items: &[Item],
    scales: &[KeyedScale],
    people: &mut Respondents,
    twins: &mut [Respondents],
    options: &ComparisonOptions,
    bootstrap: Bootstrap,
    thresholds: &Thresholds,
) -> Result<PeopleFigures, String> {
    let weights = weigh(people, twins, options)?;
    let regressions = twins.first().map(|first| regressions(items, people, first, &options.regress));
    let regressions = regressions.unwrap_or(Ok(Vec::new())).map_err(|reason| format!("regress: {reason}"))?;
    let attributes: Vec<String> = options.by.iter().chain(&options.regress).cloned().collect();
    let of_twins: Vec<_> = twins.iter().map(|side| side.attributes.clone()).collect();
    // Groups are made of what was chosen for them alone.
    people.attributes.retain(|name, _| options.by.contains(name) || options.cells.contains(name));
    twins.iter_mut().for_each(|side| side.attributes.retain(|name, _| options.cells.contains(name)));
    let refused = |refusal: CompareRefused| format!("file: {refusal}");
    let first = twins.first().ok_or("there are no twins to compare")?;
    let comparison = compare(items, people, first, Settings { bootstrap, ..Settings::default() }).map_err(refused)?;
    let rectified =
        rectified::table(items, people, first, &options.cells, options.cell_shares.as_ref(), bootstrap.level)
            .unwrap_or_else(|refusal| RectifiedTable::refused(&refusal));
    let calibration = match twins.len() {
        1 => None,
        count => {
            let forecasts = forecasts(items, people, &twins.iter().collect::<Vec<_>>()).map_err(refused)?;
            calibrate(&forecasts, people.ids.len(), count, bootstrap)
        }
    };
    twins.iter_mut().zip(of_twins).for_each(|(side, attributes)| side.attributes = attributes);
    let mut found = pitfalls(items, people, twins, &comparison, &attributes, thresholds, bootstrap);
    if let Some(first) = twins.first() {
        found.extend(scale_pitfalls(scales, people, first, thresholds));
    }
    let diagnostics =
        found.into_iter().map(|(diagnostic, findings)| Diagnosis::of_people(diagnostic, findings)).collect();
    Ok(PeopleFigures { comparison, rectified, weights, regressions, diagnostics, calibration })
}

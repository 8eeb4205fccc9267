//! Effects of an experiment's arms, and accuracy by subgroup.

use evidence::compare::{ArmTable, Contrast, Subgroup};
use evidence::effects::{Difference, EffectSummary, Significance};
use evidence::intervals::Interval;
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::answers::figures::Figure;

/// An arm less the reference arm, of people or of twins.
#[derive(Debug, Serialize, ToSchema)]
struct Effect {
    difference: f64,
    low: f64,
    high: f64,
    /// Cohen's d.
    d: f64,
    p: f64,
}

impl Effect {
    fn new(of: &Difference, newcombe: Option<Interval>) -> Self {
        let Interval { low, high } = newcombe.unwrap_or(of.interval);
        Self { difference: of.difference, low, high, d: of.d, p: of.p }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EffectOfArm)]
struct ArmEffect {
    #[schema(example = "fair")]
    item: String,
    /// The option whose share is compared, of questions without an order.
    category: Option<String>,
    #[schema(example = "resort")]
    arm: String,
    people: Effect,
    twins: Effect,
    same_sign: bool,
    /// Both are significant at 5 %, or neither.
    same_significance: bool,
    /// Twins' effect less people's, with its interval.
    gap: EffectGap,
    /// Whether the people's interval contains the twins' effect.
    people_hold_twins: bool,
    /// p of either by Benjamini and Hochberg over the table.
    q_people: f64,
    q_twins: f64,
}

/// The difference of two effects.
#[derive(Debug, Serialize, ToSchema)]
struct EffectGap {
    difference: f64,
    low: f64,
    high: f64,
}

impl From<&Contrast> for ArmEffect {
    fn from(of: &Contrast) -> Self {
        Self {
            item: of.item.clone(),
            category: of.category.clone(),
            arm: of.arm.clone(),
            people: Effect::new(&of.people, of.newcombe.map(|(people, _)| people)),
            twins: Effect::new(&of.twins, of.newcombe.map(|(_, twins)| twins)),
            same_sign: of.agreement.same_sign,
            same_significance: of.agreement.same_significance,
            gap: EffectGap {
                difference: of.agreement.difference,
                low: of.agreement.interval.low,
                high: of.agreement.interval.high,
            },
            people_hold_twins: of.agreement.human_interval_holds_twins,
            q_people: of.q_people,
            q_twins: of.q_twins,
        }
    }
}

/// What the arms of the experiment do to people and to twins.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Arms {
    /// Every other arm is compared with it.
    #[schema(example = "control")]
    reference: String,
    /// Twins stood in every arm, so that each is compared with itself.
    twins_in_all_arms: bool,
    effects: Vec<ArmEffect>,
    /// Over all effects, which are compared as Cohen's d; null without any.
    agreement: Option<EffectAgreement>,
}

/// How well twins' effects foretell people's. Shares are 0 to 1. Correlations and slopes are of Cohen's d; their intervals are
/// drawn over questions, and need five. They are null for fewer than 3 effects.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct EffectAgreement {
    effects: usize,
    same_sign: f64,
    people_hold_twins: f64,
    /// Effects by the side on which they are significant at 5 %.
    significant: EffectSignificance,
    /// The share of people's significant effects that are significant among twins; null: people have none.
    sensitivity: Option<Figure>,
    r: Option<Figure>,
    /// Slope of people's d on twins'. Sampling errors of the twins' d pull it to 0 (attenuation).
    slope: Option<Figure>,
    /// Without sampling errors of either side; null where these explain all of a side's variance.
    deattenuated_r: Option<Figure>,
    /// Without sampling errors of the twins' d: below 1 twins exaggerate.
    deattenuated_slope: Option<Figure>,
}

/// Numbers of effects.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct EffectSignificance {
    both: usize,
    /// Of `both`, those with the same sign.
    both_same_sign: usize,
    people_only: usize,
    twins_only: usize,
    neither: usize,
}

impl From<Significance> for EffectSignificance {
    fn from(of: Significance) -> Self {
        let Significance { both, both_same_sign, people_only, twins_only, neither } = of;
        Self { both, both_same_sign, people_only, twins_only, neither }
    }
}

impl From<&ArmTable> for Arms {
    fn from(of: &ArmTable) -> Self {
        let agreement = |all: &EffectSummary| EffectAgreement {
            effects: all.contrasts,
            same_sign: all.same_sign,
            people_hold_twins: all.human_interval_holds_twins,
            significant: EffectSignificance::from(all.significance),
            sensitivity: all.sensitivity.as_ref().map(Figure::from),
            r: all.r.as_ref().map(Figure::from),
            slope: all.slope.as_ref().map(Figure::from),
            deattenuated_r: all.deattenuated_r.as_ref().map(Figure::from),
            deattenuated_slope: all.deattenuated_slope.as_ref().map(Figure::from),
        };
        Self {
            reference: of.reference.clone(),
            twins_in_all_arms: of.twins_in_all_arms,
            effects: of.contrasts.iter().map(ArmEffect::from).collect(),
            agreement: of.summary.as_ref().map(agreement),
        }
    }
}

/// Accuracy by the values of a column.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ComparedSubgroup {
    #[schema(example = "Female")]
    value: String,
    pairs: usize,
    accuracy: Figure,
    /// Less the others'.
    gap: Option<Figure>,
}

impl From<&Subgroup> for ComparedSubgroup {
    fn from(of: &Subgroup) -> Self {
        Self {
            value: of.level.clone(),
            pairs: of.pairs,
            accuracy: Figure::from(&of.accuracy),
            gap: of.gap.as_ref().map(Figure::from),
        }
    }
}

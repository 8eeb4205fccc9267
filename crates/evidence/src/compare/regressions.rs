use serde::Serialize;

use super::pairs::Pairing;
use super::{Item, ItemKind, Respondents};
use crate::factors::{Factors, weighted};
use crate::regression::{self, least_squares};

/// Coefficient of a level of an attribute against the attribute's first level. All attributes are in one regression.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", schema(as = RegressionTerm))]
pub struct Coefficient {
    #[cfg_attr(feature = "openapi", schema(example = "Gender: Male"))]
    pub term: String,
    /// Coefficient among people, in the question's unit, with its HC2 standard error.
    pub people: f64,
    pub people_error: f64,
    pub twins: f64,
    pub twins_error: f64,
    /// p of the difference of both coefficients, by a z-test.
    pub p: f64,
}

/// Least squares of a question on attributes together, among people and among their twins.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ItemRegression {
    #[cfg_attr(feature = "openapi", schema(example = "fair"))]
    pub name: String,
    pub text: String,
    pub pairs: usize,
    /// Share of the coefficients that differ at 5 %, and share of those with opposite signs.
    pub differ: f64,
    pub flip_sign: f64,
    pub terms: Vec<Coefficient>,
}

/// Regresses the items with numbers or an order on attributes of the twins. Needs pairs. Leaves out items without a
/// solution. Fails if an attribute has too many values.
pub fn regressions(
    items: &[Item],
    people: &Respondents,
    twins: &Respondents,
    attributes: &[String],
) -> Result<Vec<ItemRegression>, String> {
    let factors = Factors::find(twins, attributes)?;
    let Ok(pairing) = Pairing::new(people, twins) else { return Ok(Vec::new()) };
    if factors.is_empty() {
        return Ok(Vec::new());
    }
    let of_item = |item: &Item| {
        cancellation::check();
        let ItemKind::Single { scale, .. } = &item.kind else { return None };
        if !scale.is_ordered() {
            return None;
        }
        let (mut x, mut human, mut twin, mut weights) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (person, own) in &pairing.pairs {
            let both = people.number(&item.name, *person).zip(twins.number(&item.name, *own));
            let Some(((h, t), row)) = both.zip(factors.row(twins, *own)) else { continue };
            if people.weight(*person) > 0.0 {
                x.push(row);
                human.push(h);
                twin.push(t);
                weights.push(people.weight(*person));
            }
        }
        let fit = |y: &[f64]| {
            let (x, y) = weighted(&x, y, &weights);
            least_squares(&x, &y)
        };
        let (human, twin) = (fit(&human)?, fit(&twin)?);
        let compared = regression::compare(&human, &twin)?;
        let coefficient = |(place, term): (usize, String)| Coefficient {
            term,
            people: human.coefficients[place + 1],
            people_error: human.errors[place + 1],
            twins: twin.coefficients[place + 1],
            twins_error: twin.errors[place + 1],
            p: compared.p[place],
        };
        Some(ItemRegression {
            name: item.name.clone(),
            text: item.text.clone(),
            pairs: x.len(),
            differ: compared.differ,
            flip_sign: compared.flip_sign,
            terms: factors.names().enumerate().map(coefficient).collect(),
        })
    };
    Ok(items.iter().filter_map(of_item).collect())
}

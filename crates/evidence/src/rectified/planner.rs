//! Formulas for the number of people and twins to ask.

use serde::Serialize;

use super::figure::{FigureRefused, planned_n};
use crate::distributions::normal_quantile;

fn positive(value: f64, what: &'static str) -> Result<f64, FigureRefused> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(FigureRefused::NotPositive(what)) }
}

fn quantiles(alpha: f64, power: f64) -> f64 {
    normal_quantile(1.0 - alpha / 2.0) + normal_quantile(power)
}

/// People in each arm for a difference of `d` sd: `2((z_{1−α/2} + z_power)/d)²`.
pub fn two_arms(d: f64, alpha: f64, power: f64) -> Result<f64, FigureRefused> {
    Ok(2.0 * (quantiles(alpha, power) / positive(d.abs(), "the effect")?).powi(2))
}

/// People in each arm for two shares `p` and `q`: `(z_{1−α/2} + z_power)²(p(1−p) + q(1−q))/(p−q)²`.
pub fn two_shares(p: f64, q: f64, alpha: f64, power: f64) -> Result<f64, FigureRefused> {
    let gap = positive((p - q).abs(), "the difference")?;
    Ok((quantiles(alpha, power) / gap).powi(2) * (p * (1.0 - p) + q * (1.0 - q)))
}

/// People for a mean that is known to ±`margin`: `(zσ/m)²`, in the item's unit.
pub fn precision(sd: f64, margin: f64, level: f64) -> Result<f64, FigureRefused> {
    let z = normal_quantile(0.5 + level / 2.0);
    Ok((z * positive(sd, "the spread")? / positive(margin, "the margin")?).powi(2))
}

/// The spread of people, from the spread of twins and the SD ratio of a validation of the same twins. Fails without a
/// ratio: twins are too much alike, so a study planned from their spread would be too small.
pub fn human_sd(twin_sd: f64, validated_ratio: Option<f64>) -> Result<f64, FigureRefused> {
    Ok(twin_sd / positive(validated_ratio.ok_or(FigureRefused::NotValidated)?, "the SD ratio")?)
}

/// Prices in one currency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    pub person: f64,
    pub twin: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// The precision of this number of people alone.
    Effective(f64),
    /// The most precise for this amount of money.
    Money(f64),
}

/// Number of people, and number of twins beyond theirs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pair {
    pub people: usize,
    pub others: usize,
    pub cost: f64,
    pub n_effective: f64,
}

/// The cheapest, or most precise, mix (Broska, Howes and van Loon 2024). People alone if twins do not pay. At most
/// `twins_there_are` other twins.
pub fn pair(rho: f64, prices: Prices, budget: Budget, twins_there_are: usize) -> Result<Pair, FigureRefused> {
    let person = positive(prices.person, "the price of a person")?;
    let gamma = positive(prices.twin, "the price of a twin")? / person;
    let squared = (rho * rho).min(0.9999);
    let root = (gamma * squared * (1.0 - squared)).sqrt();
    let per_person = person * (1.0 - squared + gamma * squared + 2.0 * root);
    let n0 = match budget {
        Budget::Effective(n) => positive(n, "the number of people")?,
        Budget::Money(money) => positive(money, "the budget")? / per_person,
    };
    let n = n0 * (1.0 - squared + root);
    let others = n * (n0 - n) / (n - (1.0 - squared) * n0);
    let is_worth_it = per_person < person && others.is_finite() && others > 0.0;
    if !is_worth_it {
        let people = match budget {
            Budget::Effective(n) => n,
            Budget::Money(money) => money / person,
        };
        return Ok(Pair {
            people: people.round() as usize,
            others: 0,
            cost: people.round() * person,
            n_effective: people.round(),
        });
    }
    let limit = twins_there_are as f64;
    let (n, others) = if others <= limit {
        (n, others)
    } else {
        let n = match budget {
            // Solves n(n+N)/(n+(1−ρ²)N) = n0 for n.
            Budget::Effective(n0) => {
                let half = (limit - n0) / 2.0;
                -half + (half * half + n0 * (1.0 - squared) * limit).sqrt()
            }
            Budget::Money(money) => (money - limit * prices.twin) / (person + prices.twin),
        };
        (n, limit)
    };
    let (people, others) = (n.round() as usize, others.round() as usize);
    Ok(Pair {
        people,
        others,
        cost: people as f64 * person + (people as f64 + others as f64) * prices.twin,
        n_effective: planned_n(squared.sqrt(), people, others as f64),
    })
}

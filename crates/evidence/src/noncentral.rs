//! Noncentral distributions, and the noncentralities that fit a statistic: the intervals of effect sizes (Steiger and Fouladi 1997).
//! Each distribution is a mean of central ones, weighted by a Poisson distribution.

use statrs::function::beta::checked_beta_reg;
use statrs::function::erf::erf;
use statrs::function::gamma::{checked_gamma_lr, ln_gamma};

use crate::distributions::normal_cdf;
use crate::intervals::Interval;

/// A weight below this share of the largest one changes no digit of a mean.
const NEGLIGIBLE: f64 = 1e-18;
/// Length of the last step to a root, as a share of the root.
const LAST_STEP: f64 = 1e-13;
const MAX_STEPS: usize = 100;

/// Probabilities of one point under central distributions that are numbered by `j`; they fall by `F(j) − F(j + 1)`, the step.
struct Central<'a> {
    probability: &'a dyn Fn(f64) -> f64,
    /// Natural logarithm of the step at `j`.
    ln_step: &'a dyn Fn(f64) -> f64,
    /// The step at `j − 1` as a multiple of the step at `j`.
    growth: &'a dyn Fn(f64) -> f64,
}

impl Central<'_> {
    /// The mean of `F(j)` over `j = first, first + 1, ..` with weights `h^j/Γ(j + 1)`. Goes from the largest `j` to the smallest,
    /// because in this direction the steps add up without loss of digits.
    fn poisson_mean(&self, h: f64, first: f64) -> f64 {
        if h == 0.0 {
            return (self.probability)(first);
        }
        let mode = first + (h - first).max(0.0).floor();
        let (mut place, mut weight) = (mode, 1.0);
        while weight > NEGLIGIBLE {
            place += 1.0;
            weight *= h / place;
        }
        let (mut probability, mut ln_step) = ((self.probability)(place), (self.ln_step)(place));
        let (mut sum, mut weights) = (weight * probability, weight);
        while place > first && (place > mode || weight > NEGLIGIBLE) {
            weight *= place / h;
            ln_step += (self.growth)(place).ln();
            place -= 1.0;
            probability += ln_step.exp();
            sum += weight * probability;
            weights += weight;
        }
        sum / weights
    }
}

/// P(X <= x) of the noncentral χ² distribution, for `x` and `df` above 0.
fn chi_squared_cdf(x: f64, df: f64, noncentrality: f64) -> f64 {
    let (half, a) = (x / 2.0, df / 2.0);
    let central = Central {
        probability: &|j| checked_gamma_lr(a + j, half).unwrap_or(f64::NAN),
        ln_step: &|j| (a + j) * half.ln() - half - ln_gamma(a + j + 1.0),
        growth: &|j| (a + j) / half,
    };
    central.poisson_mean(noncentrality / 2.0, 0.0)
}

/// The mean of the incomplete beta functions `I_y(a + j, b)`, which noncentral F and t are made of.
fn beta_mean(y: f64, a: f64, b: f64, h: f64, first: f64) -> f64 {
    let ln_beta = |a: f64| ln_gamma(a + 1.0) + ln_gamma(b) - ln_gamma(a + b);
    let central = Central {
        probability: &|j| checked_beta_reg(a + j, b, y).unwrap_or(f64::NAN),
        ln_step: &|j| (a + j) * y.ln() + b * (-y).ln_1p() - ln_beta(a + j),
        growth: &|j| (a + j) / ((a + j + b - 1.0) * y),
    };
    central.poisson_mean(h, first)
}

/// P(X <= x) of the noncentral F distribution, for `x` and degrees of freedom above 0.
fn f_cdf(x: f64, df1: f64, df2: f64, noncentrality: f64) -> f64 {
    beta_mean(df1 * x / (df1 * x + df2), df1 / 2.0, df2 / 2.0, noncentrality / 2.0, 0.0)
}

/// P(T <= t) of the noncentral t distribution, for `df` above 0 (Lenth 1989).
fn t_cdf(t: f64, df: f64, noncentrality: f64) -> f64 {
    if t < 0.0 {
        return 1.0 - t_cdf(-t, df, -noncentrality);
    }
    let (y, h) = (t * t / (df + t * t), noncentrality * noncentrality / 2.0);
    if y == 0.0 {
        return normal_cdf(-noncentrality);
    }
    // The sums of the weights of whole and of half numbers are 1 and erf √h.
    let odd = if h == 0.0 { 0.0 } else { erf(h.sqrt()) * beta_mean(y, 0.5, df / 2.0, h, 0.5) };
    let even = beta_mean(y, 0.5, df / 2.0, h, 0.0);
    normal_cdf(-noncentrality) + (even + noncentrality.signum() * odd) / 2.0
}

/// The noncentralities, from 0, under which a statistic is neither among the smallest nor among the largest `(1 − level)/2` of
/// its distribution. The lower end is 0 if 0 is such a one; `None`: the statistic is small even for 0.
fn from_zero(cdf: impl Fn(f64) -> f64, level: f64) -> Option<Interval> {
    let tail = (1.0 - level) / 2.0;
    let of_zero = cdf(0.0);
    if of_zero.is_nan() || of_zero <= tail {
        return None;
    }
    let low = if of_zero <= 1.0 - tail { 0.0 } else { root(&cdf, 0.0, 1.0 - tail)? };
    Some(Interval { low, high: root(&cdf, low, tail)? })
}

/// The noncentralities that fit a χ² statistic.
pub fn of_chi_squared(statistic: f64, df: f64, level: f64) -> Option<Interval> {
    let is_positive = statistic > 0.0 && statistic.is_finite();
    is_positive.then(|| from_zero(|noncentrality| chi_squared_cdf(statistic, df, noncentrality), level))?
}

/// The noncentralities that fit an F statistic.
pub fn of_f(statistic: f64, df1: f64, df2: f64, level: f64) -> Option<Interval> {
    let is_positive = statistic > 0.0 && statistic.is_finite();
    is_positive.then(|| from_zero(|noncentrality| f_cdf(statistic, df1, df2, noncentrality), level))?
}

/// The noncentralities that fit a t statistic.
pub fn of_t(statistic: f64, df: f64, level: f64) -> Option<Interval> {
    let tail = (1.0 - level) / 2.0;
    let cdf = |noncentrality| t_cdf(statistic, df, noncentrality);
    Some(Interval { low: root(&cdf, statistic, 1.0 - tail)?, high: root(&cdf, statistic, tail)? })
}

/// Finds where a falling function has the value: the false position, in the Illinois variant (Dowell and Jarratt 1971). `start` may
/// lie on either side. `None`: the function is no number somewhere.
fn root(function: &impl Fn(f64) -> f64, start: f64, value: f64) -> Option<f64> {
    let above = |x: f64| function(x) - value;
    let at_start = (start, above(start));
    let (mut low, mut high) = (at_start, at_start);
    let mut width = 1.0;
    while low.1 < 0.0 {
        (high, low) = (low, (low.0 - width, above(low.0 - width)));
        width *= 2.0;
    }
    while high.1 > 0.0 {
        (low, high) = (high, (high.0 + width, above(high.0 + width)));
        width *= 2.0;
    }
    let mut last = start;
    for _ in 0..MAX_STEPS {
        if low.1 == 0.0 {
            return Some(low.0);
        }
        let x = high.0 - high.1 * (high.0 - low.0) / (high.1 - low.1);
        let found = above(x);
        if found.is_nan() {
            return None;
        }
        if found == 0.0 || (x - last).abs() <= LAST_STEP * x.abs() {
            return Some(x);
        }
        // An end that stays is drawn towards the root.
        if found > 0.0 {
            (low, high.1) = ((x, found), if last == low.0 { high.1 / 2.0 } else { high.1 });
        } else {
            (high, low.1) = ((x, found), if last == high.0 { low.1 / 2.0 } else { low.1 });
        }
        last = x;
    }
    None
}

//! Adjustment for many tests at once.

/// Benjamini-Hochberg (1995): the q of each p, in the given order. q is the expected share of false discoveries if this
/// and all smaller p are called discoveries. A p that is NaN belongs to no family and stays NaN.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).filter(|place| !p[*place].is_nan()).collect();
    order.sort_by(|a, b| p[*b].total_cmp(&p[*a]));
    let family = order.len() as f64;
    let mut adjusted = vec![f64::NAN; p.len()];
    let mut least: f64 = 1.0;
    for (above, place) in order.into_iter().enumerate() {
        least = least.min(p[place] * family / (family - above as f64));
        adjusted[place] = least;
    }
    adjusted
}

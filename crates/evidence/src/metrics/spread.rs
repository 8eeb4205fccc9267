use crate::sample::{mean, sd};

/// `sd twins / sd people`, at least 0: below 1 the twins are too much alike. `None` if all people answer the same.
pub fn sd_ratio(human: &[f64], people: &[f64], twin: &[f64], twins: &[f64]) -> Option<f64> {
    let spread = sd(human, people).filter(|sd| *sd > 0.0)?;
    Some(sd(twin, twins)? / spread)
}

/// Glass's Δ, `(mean twins − mean people)/sd people`, signed: how many of the people's sd the twins' mean is off.
pub fn glass(human: &[f64], people: &[f64], twin: &[f64], twins: &[f64]) -> Option<f64> {
    let spread = sd(human, people).filter(|sd| *sd > 0.0)?;
    Some((mean(twin, twins)? - mean(human, people)?) / spread)
}

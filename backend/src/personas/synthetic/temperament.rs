//! What a person is born and grown with, in standard deviations from the average.

use super::chance::Chance;

#[derive(Clone, Debug)]
pub struct Temperament {
    pub openness: f64,
    pub conscientiousness: f64,
    pub extraversion: f64,
    pub agreeableness: f64,
    pub neuroticism: f64,
    /// Of reasoning.
    pub ability: f64,
    /// Of views: conservative above 0, liberal below. 0 until a life has shaped it.
    pub conservatism: f64,
}

/// How strongly the two traits behind the Big Five show in each of them.
const SHARED: f64 = 0.45;
/// What is left for the trait itself: 0.45² + 0.893² = 1.
const OWN: f64 = 0.893;

impl Temperament {
    pub fn draw(chance: &mut Chance) -> Self {
        let (stability, plasticity) = (chance.normal(), chance.normal());
        let mut of = |shared: f64| SHARED * shared + OWN * chance.normal();
        let (openness, extraversion) = (of(plasticity), of(plasticity));
        let (conscientiousness, agreeableness, neuroticism) = (of(stability), of(stability), of(-stability));
        let ability = 0.25 * openness + 0.968 * chance.normal();
        Self { openness, conscientiousness, extraversion, agreeableness, neuroticism, ability, conservatism: 0.0 }
    }
}

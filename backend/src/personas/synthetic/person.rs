//! A random person: temperament first, then demographics, drawn with about the associations that they have in the US.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Random numbers that are the same on every machine: a stream for each person, and no library functions whose last
/// digit differs between platforms.
pub struct RandomStream(ChaCha8Rng);

impl RandomStream {
    pub fn new(seed: u64, number: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        Self(rng)
    }

    /// A number uniform over 0..1.
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A nearly normal number with mean 0 and standard deviation 1: a sum of twelve uniform ones.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// A position in `weights`, with a probability proportional to its weight.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut left = self.uniform() * weights.iter().sum::<f64>();
        for (place, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return place;
            }
        }
        weights.len() - 1
    }

    /// A random one of the texts.
    pub fn pick<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        texts[(self.uniform() * texts.len() as f64) as usize]
    }
}

/// The number of the ascending `bounds` that `value` exceeds.
pub fn step(value: f64, bounds: &[f64]) -> usize {
    bounds.iter().filter(|&&bound| value > bound).count()
}

/// The share of a normal population below `z`: Abramowitz and Stegun 7.1.28, exact to seven digits.
pub fn share_below(z: f64) -> f64 {
    let x = z.abs() * std::f64::consts::FRAC_1_SQRT_2;
    let factors = [0.0705230784, 0.0422820123, 0.0092705272, 0.0001520143, 0.0002765672, 0.0000430638];
    let mut sum = 1.0;
    let mut power = 1.0;
    for factor in factors {
        power *= x;
        sum += factor * power;
    }
    let mut tail = 1.0 / sum;
    for _ in 0..4 {
        tail *= tail;
    }
    if z < 0.0 { tail / 2.0 } else { 1.0 - tail / 2.0 }
}

/// Traits, in standard deviations from the average.
#[derive(Clone, Debug)]
pub struct Temperament {
    pub openness: f64,
    pub conscientiousness: f64,
    pub extraversion: f64,
    pub agreeableness: f64,
    pub neuroticism: f64,
    /// Reasoning ability.
    pub ability: f64,
    /// Conservative above 0, liberal below. [`Life::draw`] sets it.
    pub conservatism: f64,
}

/// Weight of the two traits behind the Big Five in each of them.
const SHARED: f64 = 0.45;
/// Weight of the trait itself: 0.45² + 0.893² = 1.
const OWN: f64 = 0.893;

impl Temperament {
    pub fn draw(random: &mut RandomStream) -> Self {
        let (stability, plasticity) = (random.normal(), random.normal());
        let mut of = |shared: f64| SHARED * shared + OWN * random.normal();
        let (openness, extraversion) = (of(plasticity), of(plasticity));
        let (conscientiousness, agreeableness, neuroticism) = (of(stability), of(stability), of(-stability));
        let ability = 0.25 * openness + 0.968 * random.normal();
        Self { openness, conscientiousness, extraversion, agreeableness, neuroticism, ability, conservatism: 0.0 }
    }
}

const REGIONS: [&str; 5] = [
    "Northeast (PA, NY, NJ, RI, CT, MA, VT, NH, ME)",
    "Midwest (ND, SD, NE, KS, MN, IA, MO, WI, IL, MI, IN, OH)",
    "South (TX, OK, AR, LA, KY, TN, MS, AL, WV, DC, MD, DE, VA, NC, SC, GA, FL)",
    "West (WA, OR, ID, MT, WY, CA, NV, UT, CO, AZ, NM)",
    "Pacific (HI, AK)",
];
const GENDERS: [&str; 2] = ["Male", "Female"];
const AGES: [&str; 4] = ["18-29", "30-49", "50-64", "65+"];
const EDUCATIONS: [&str; 6] = [
    "Less than high school",
    "High school graduate",
    "Some college, no degree",
    "Associate's degree",
    "College graduate/some postgrad",
    "Postgraduate",
];
const RACES: [&str; 5] = ["White", "Black", "Asian", "Hispanic", "Other"];
const CITIZENSHIPS: [&str; 2] = ["Yes", "No"];
const MARITALS: [&str; 6] =
    ["Married", "Living with a partner", "Divorced", "Separated", "Widowed", "Never been married"];
const RELIGIONS: [&str; 12] = [
    "Protestant",
    "Roman Catholic",
    "Mormon",
    "Orthodox",
    "Jewish",
    "Muslim",
    "Buddhist",
    "Hindu",
    "Other",
    "Atheist",
    "Agnostic",
    "Nothing in particular",
];
/// Position in [`RELIGIONS`] from which on people name no religion.
const NO_RELIGION: usize = 9;
const ATTENDANCES: [&str; 6] =
    ["Never", "Seldom", "A few times a year", "Once or twice a month", "Once a week", "More than once a week"];
const AFFILIATIONS: [&str; 4] = ["Democrat", "Independent", "Republican", "Something else"];
const INCOMES: [&str; 5] =
    ["Less than $30,000", "$30,000-$50,000", "$50,000-$75,000", "$75,000-$100,000", "$100,000 or more"];
const VIEWS: [&str; 5] = ["Very liberal", "Liberal", "Moderate", "Conservative", "Very conservative"];
const HOUSEHOLDS: [&str; 5] = ["1", "2", "3", "4", "More than 4"];
const EMPLOYMENTS: [&str; 7] =
    ["Full-time employment", "Part-time employment", "Self-employed", "Home-maker", "Student", "Unemployed", "Retired"];

/// The fourteen demographics, each as a position in one of the lists above.
#[derive(Clone, Debug)]
pub struct Life {
    region: usize,
    gender: usize,
    age: usize,
    education: usize,
    race: usize,
    citizenship: usize,
    marital: usize,
    religion: usize,
    attendance: usize,
    affiliation: usize,
    income: usize,
    views: usize,
    household: usize,
    employment: usize,
}

impl Life {
    /// Draws a life. Age and gender change the `temperament`, and its conservatism is set.
    pub fn draw(random: &mut RandomStream, temperament: &mut Temperament) -> Self {
        let region = random.weighted(&[17.0, 21.0, 38.0, 23.0, 1.0]);
        let gender = random.weighted(&[49.0, 51.0]);
        let age = random.weighted(&[20.0, 33.0, 25.0, 22.0]);
        let older = age as f64 - 1.5;
        let woman = gender as f64 - 0.5;
        temperament.conscientiousness += 0.15 * older;
        temperament.agreeableness += 0.12 * older + 0.3 * woman;
        temperament.neuroticism += 0.4 * woman - 0.12 * older;

        let race = race(random, region, age);
        let citizenship = random.weighted(&[[99.0, 98.0, 88.0, 90.0, 95.0][race], [1.0, 2.0, 12.0, 10.0, 5.0][race]]);
        let schooling = 0.6 * temperament.ability + 0.15 * temperament.conscientiousness + 0.78 * random.normal()
            - if age == 0 { 0.3 } else { 0.0 };
        let education = step(schooling, &[-1.48, -0.44, 0.1, 0.36, 1.08]);
        let employment = employment(random, age, gender);
        let pay = [0.5, -0.4, 0.3, -0.2, -0.7, -1.0, -0.1][employment];
        let income = step(
            0.5 * schooling + pay + [-0.2, 0.2, 0.2, 0.0][age] + 0.8 * random.normal(),
            &[-0.65, -0.1, 0.45, 0.95],
        );
        let marital = marital(random, age);
        let religion = religion(random, region, race, age);
        let devotion = if religion < NO_RELIGION { 0.2 } else { -1.9 };
        let piety = devotion + 0.15 * older + 0.15 * temperament.agreeableness + 0.8 * random.normal();
        let attendance = step(piety, &[-0.9, -0.3, 0.3, 0.75, 1.4]);

        temperament.conservatism = 0.35 * piety + 0.12 * older - 0.2 * woman - 0.3 * temperament.openness
            + 0.15 * temperament.conscientiousness
            + [0.1, -0.6, -0.3, -0.2, 0.0][race]
            + [-0.2, 0.0, 0.25, -0.2, -0.2][region]
            + 0.75 * random.normal()
            + 0.15;
        let views = step(temperament.conservatism, &[-1.3, -0.45, 0.5, 1.35]);
        let affiliation = match temperament.conservatism + 0.35 * random.normal() {
            _ if random.uniform() < 0.05 => 3,
            side => step(side, &[-0.3, 0.4]),
        };
        let household = household(random, marital, age);
        Self {
            region,
            gender,
            age,
            education,
            race,
            citizenship,
            marital,
            religion,
            attendance,
            affiliation,
            income,
            views,
            household,
            employment,
        }
    }

    /// The values, in the order of [`LABELS`](crate::personas::demographics::LABELS).
    pub fn values(&self) -> [&'static str; 14] {
        [
            REGIONS[self.region],
            GENDERS[self.gender],
            AGES[self.age],
            EDUCATIONS[self.education],
            RACES[self.race],
            CITIZENSHIPS[self.citizenship],
            MARITALS[self.marital],
            RELIGIONS[self.religion],
            ATTENDANCES[self.attendance],
            AFFILIATIONS[self.affiliation],
            INCOMES[self.income],
            VIEWS[self.views],
            HOUSEHOLDS[self.household],
            EMPLOYMENTS[self.employment],
        ]
    }

    /// A position in the list from full-time work to retirement.
    pub fn employment(&self) -> usize {
        self.employment
    }

    /// A position in the list from less than $30,000 to $100,000 or more.
    pub fn income(&self) -> usize {
        self.income
    }

    pub fn has_partner(&self) -> bool {
        self.marital <= 1
    }

    pub fn lives_alone(&self) -> bool {
        self.household == 0
    }

    pub fn is_devout(&self) -> bool {
        self.attendance >= 3
    }

    pub fn is_unreligious(&self) -> bool {
        self.religion >= NO_RELIGION
    }
}

fn race(random: &mut RandomStream, region: usize, age: usize) -> usize {
    let mut weights = match region {
        2 => [60.0, 19.0, 4.0, 15.0, 2.0],
        3 => [53.0, 5.0, 10.0, 27.0, 5.0],
        4 => [35.0, 3.0, 32.0, 10.0, 20.0],
        _ => [70.0, 11.0, 6.0, 10.0, 3.0],
    };
    weights[0] *= [0.8, 0.9, 1.15, 1.4][age];
    random.weighted(&weights)
}

fn employment(random: &mut RandomStream, age: usize, gender: usize) -> usize {
    let mut weights = match age {
        0 => [45.0, 18.0, 4.0, 3.0, 21.0, 9.0, 0.0],
        1 => [63.0, 10.0, 10.0, 7.0, 2.0, 8.0, 0.0],
        2 => [54.0, 10.0, 11.0, 5.0, 0.0, 7.0, 13.0],
        _ => [9.0, 8.0, 5.0, 2.0, 0.0, 1.0, 75.0],
    };
    weights[3] *= [0.3, 1.7][gender];
    random.weighted(&weights)
}

fn marital(random: &mut RandomStream, age: usize) -> usize {
    random.weighted(&match age {
        0 => [17.0, 16.0, 1.0, 1.0, 0.0, 65.0],
        1 => [52.0, 12.0, 9.0, 3.0, 1.0, 23.0],
        2 => [58.0, 6.0, 18.0, 3.0, 4.0, 11.0],
        _ => [56.0, 3.0, 16.0, 1.0, 18.0, 6.0],
    })
}

fn religion(random: &mut RandomStream, region: usize, race: usize, age: usize) -> usize {
    let mut weights = match race {
        1 => [62.0, 5.0, 0.5, 0.5, 0.0, 3.0, 0.5, 0.0, 7.0, 2.0, 3.0, 17.0],
        2 => [16.0, 16.0, 0.5, 0.5, 0.5, 7.0, 10.0, 16.0, 3.0, 6.0, 8.0, 18.0],
        3 => [22.0, 45.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.0, 4.0, 3.0, 4.0, 19.0],
        _ => [42.0, 19.0, 2.0, 0.7, 2.5, 0.5, 0.7, 0.2, 4.0, 5.0, 6.0, 17.0],
    };
    if region == 2 {
        weights[0] *= 1.4;
    }
    if region == 3 {
        weights[2] *= 4.0;
    }
    for weight in &mut weights[NO_RELIGION..] {
        *weight *= [1.8, 1.3, 0.8, 0.6][age];
    }
    random.weighted(&weights)
}

fn household(random: &mut RandomStream, marital: usize, age: usize) -> usize {
    random.weighted(&match (marital <= 1, age) {
        (true, 0) => [0.0, 52.0, 24.0, 15.0, 9.0],
        (true, 1) => [0.0, 22.0, 24.0, 32.0, 22.0],
        (true, 2) => [0.0, 52.0, 24.0, 15.0, 9.0],
        (true, _) => [0.0, 82.0, 11.0, 4.0, 3.0],
        (false, 0) => [20.0, 24.0, 22.0, 20.0, 14.0],
        (false, 1) => [38.0, 24.0, 19.0, 11.0, 8.0],
        (false, _) => [62.0, 24.0, 8.0, 4.0, 2.0],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_below_are_those_of_the_normal_distribution() {
        for (z, share) in [(-1.96, 0.025), (-1.0, 0.158655), (0.0, 0.5), (1.0, 0.841345), (2.5758, 0.995)] {
            assert!((share_below(z) - share).abs() < 1e-5, "{z}");
        }
    }
}

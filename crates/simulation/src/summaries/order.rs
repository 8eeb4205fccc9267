//! The order of an attribute's values: the codebook's if it has one, else by the numbers at their beginning.

use std::cmp::Ordering;

/// Values of attributes in an order that neither numbers nor the alphabet give.
const CODEBOOK: [(&str, &[&str]); 10] = [
    ("Geographic region", &["Northeast", "Midwest", "South", "West", "Pacific"]),
    ("Gender", &["Male", "Female"]),
    (
        "Education level",
        &[
            "Less than high school",
            "High school graduate",
            "Some college",
            "Associate's degree",
            "College graduate",
            "Postgraduate",
        ],
    ),
    ("Race", &["White", "Black", "Asian", "Hispanic", "Other"]),
    ("Citizen of the US", &["Yes", "No"]),
    ("Marital status", &["Married", "Living with a partner", "Divorced", "Separated", "Widowed", "Never been married"]),
    (
        "Religious attendance",
        &["Never", "Seldom", "A few times a year", "Once or twice a month", "Once a week", "More than once a week"],
    ),
    ("Political affiliation", &["Democrat", "Independent", "Republican", "Something else", "Other"]),
    ("Political views", &["Very liberal", "Liberal", "Moderate", "Conservative", "Very conservative"]),
    (
        "Employment status",
        &[
            "Full-time employment",
            "Part-time employment",
            "Self-employed",
            "Home-maker",
            "Student",
            "Unemployed",
            "Retired",
        ],
    ),
];

/// Compares two values of the attribute: values of the codebook first, then those with a number, then the others
/// alphabetically.
pub fn compare_values(attribute: &str, a: &str, b: &str) -> Ordering {
    let known =
        CODEBOOK.iter().find(|(name, _)| name.eq_ignore_ascii_case(attribute)).map_or(&[][..], |(_, known)| known);
    // Values carry explanations after the codebook's words, as `Pacific (HI, AK)`.
    let place = |value: &str| {
        let value = value.to_lowercase();
        known.iter().position(|known| value.starts_with(&known.to_lowercase())).unwrap_or(known.len())
    };
    let numbers = || match (number(a), number(b)) {
        (Some((a, at_a)), Some((b, at_b))) => a.total_cmp(&b).then(at_a.cmp(&at_b)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    };
    place(a)
        .cmp(&place(b))
        .then_with(numbers)
        .then_with(|| a.to_lowercase().cmp(&b.to_lowercase()))
        .then_with(|| a.cmp(b))
}

/// The first number of a range such as `$30,000-$50,000`, and whether the range lies below it (−1, `Less than
/// $30,000`), begins with it (0) or lies above it (1, `More than 4`). `None`: the value is no range of numbers.
fn number(value: &str) -> Option<(f64, i8)> {
    let mut words = value.trim().to_lowercase();
    let mut side = 0;
    let below = ["less than", "under", "below", "up to", "<"].map(|word| (word, -1));
    for (word, place) in below.into_iter().chain(["more than", "over", "above", ">"].map(|word| (word, 1))) {
        if let Some(rest) = words.strip_prefix(word) {
            (words, side) = (rest.to_owned(), place);
            break;
        }
    }
    let digits = words.trim_start_matches(|c: char| c.is_whitespace() || "=$€£".contains(c));
    let end = digits.find(|c: char| !(c.is_ascii_digit() || c == ',' || c == '.')).unwrap_or(digits.len());
    let number = digits[..end].replace(',', "");
    Some((number.trim_end_matches('.').parse().ok()?, side))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(attribute: &str, mut values: Vec<&'static str>) -> Vec<&'static str> {
        values.sort_by(|a, b| compare_values(attribute, a, b));
        values
    }

    #[test]
    fn values_of_ordered_attributes_come_in_the_order_of_the_codebook() {
        let income =
            ["Less than $30,000", "$30,000-$50,000", "$50,000-$75,000", "$75,000-$100,000", "$100,000 or more"];
        let mut alphabetical = income.to_vec();
        alphabetical.sort_unstable();
        assert_eq!(sorted("Income", alphabetical), income);
        assert_eq!(sorted("Age", vec!["65+", "50-64", "18-29", "30-49"]), ["18-29", "30-49", "50-64", "65+"]);
        assert_eq!(sorted("Household size", vec!["More than 4", "4", "10", "1"]), ["1", "4", "More than 4", "10"]);
        let views = ["Very liberal", "Liberal", "Moderate", "Conservative", "Very conservative", "Refused"];
        let mut alphabetical = views.to_vec();
        alphabetical.sort_unstable();
        assert_eq!(sorted("political views", alphabetical), views);
        let regions = sorted("Geographic region", vec!["Pacific (HI, AK)", "South (TX, OK)", "Northeast (PA, NY)"]);
        assert_eq!(regions, ["Northeast (PA, NY)", "South (TX, OK)", "Pacific (HI, AK)"]);
    }

    #[test]
    fn values_of_other_attributes_come_by_number_and_then_by_the_alphabet() {
        assert_eq!(sorted("Pet", vec!["dog", "Cat", "12 fish", "2 fish", ""]), ["2 fish", "12 fish", "", "Cat", "dog"]);
    }
}

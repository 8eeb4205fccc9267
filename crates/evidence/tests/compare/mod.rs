mod arms;
mod weights;

use std::collections::BTreeMap;

use evidence::compare::{
    Column, CompareRefused, Comparison, Item, ItemKind, Respondents, Settings, compare, pitfalls, regressions,
};
use evidence::diagnostics::Thresholds;
use evidence::distributions::normal_quantile;
use evidence::intervals::Bootstrap;
use evidence::metrics::Scale;
use evidence::sample::Mean;
use random::{generator, uniform};

use crate::metrics::close;

pub fn settings() -> Settings {
    Settings { bootstrap: Bootstrap { replicates: 200, ..Bootstrap::default() }, ..Settings::default() }
}

/// People in two arms with a real effect of half an sd, and twins that follow them with spread 1/2 and an effect twice as
/// large; "use" is chosen alike, "sex" is an attribute.
fn experiment(n: usize, seed: i64) -> (Vec<Item>, Respondents, Respondents) {
    let mut random = generator(seed, &[b"experiment"]);
    let mut normal = || normal_quantile(uniform(&mut random));
    let arms: Vec<String> = (0..n).map(|row| ["control", "treated"][row % 2].to_owned()).collect();
    let ids: Vec<String> = (0..n).map(|row| format!("p{row}")).collect();
    let mut columns: BTreeMap<String, [Vec<Option<f64>>; 2]> = BTreeMap::new();
    for item in ["a", "b", "c", "d"] {
        for arm in &arms {
            let trait_of_person = normal();
            let shift = if arm == "treated" && item != "d" { 0.5 } else { 0.0 };
            let human = trait_of_person + shift;
            let twin = 0.5 * (0.6 * trait_of_person + 0.8 * normal()) + 2.0 * shift;
            let pair = columns.entry(item.to_owned()).or_default();
            pair[0].push(Some(human));
            pair[1].push(Some(twin));
        }
    }
    let chosen = |row: usize| Some(vec![row.is_multiple_of(3), !row.is_multiple_of(5)]);
    let yes = |row: usize| Some(1.0 + f64::from(row.is_multiple_of(4)));
    let side = |place: usize| {
        let mut answers: BTreeMap<String, Column> =
            columns.iter().map(|(name, pair)| (name.clone(), Column::Numbers(pair[place].clone()))).collect();
        answers.insert("use".into(), Column::Selections((0..n).map(chosen).collect()));
        answers.insert("ok".into(), Column::Numbers((0..n).map(yes).collect()));
        let levels = (0..n).map(|row| Some(["f", "m"][(row / 2) % 2].to_owned())).collect();
        Respondents {
            ids: ids.clone(),
            weights: None,
            probabilities: None,
            arms: Some(arms.clone()),
            attributes: BTreeMap::from([("sex".to_owned(), levels)]),
            experiments: BTreeMap::new(),
            answers,
            ..Respondents::default()
        }
    };
    let mut items: Vec<Item> = ["a", "b", "c", "d"]
        .into_iter()
        .map(|name| Item::single(name, Scale::Interval { min: -6.0, max: 6.0 }))
        .collect();
    items.push(Item {
        name: "use".into(),
        text: "Which?".into(),
        kind: ItemKind::Multiple { labels: vec!["Tea".into(), "Milk".into()] },
        scores: Vec::new(),
    });
    items.push(Item::single("ok", Scale::Nominal { categories: 2 }));
    (items, side(0), side(1))
}

fn metric(comparison: &Comparison, item: &str, metric: &str) -> Option<f64> {
    let item = comparison.questions.iter().find(|compared| compared.name == item)?;
    item.metrics.iter().find(|value| value.metric == metric).map(|value| value.estimate.value)
}

#[test]
fn a_planted_spread_effect_and_correlation_are_found() {
    let (items, people, twins) = experiment(500, 11);
    let found = compare(&items, &people, &twins, settings()).unwrap();
    assert!(found.paired);
    assert_eq!((found.pairs, found.questions.len(), found.family), (500, 6, 4));
    // Item d has no effect, so its spread is the planted one.
    assert!((metric(&found, "d", "sd ratio").unwrap() - 0.5).abs() < 0.05);
    assert!((metric(&found, "d", "r").unwrap() - 0.6).abs() < 0.08);
    assert_eq!(metric(&found, "use", "jaccard"), Some(1.0));
    assert_eq!(metric(&found, "ok", "kappa"), Some(1.0));
    assert_eq!(metric(&found, "ok", "r"), None);
    for value in found.questions.iter().flat_map(|item| &item.metrics) {
        let interval = value.estimate.interval().unwrap_or_else(|| panic!("{} has no interval", value.metric));
        assert!(interval.low <= interval.high && value.estimate.n == 500);
    }
    let overall = &found.overall;
    assert!((overall.r.as_ref().unwrap().value - 0.6).abs() < 0.1);
    assert!(overall.accuracy.as_ref().unwrap().interval().unwrap().width() < 0.02);
    assert_eq!(overall.r_of_item_means.as_ref().map(|of| (of.n, of.note)), Some((4, Some("n too small"))));
    assert!(overall.r_within_person.as_ref().unwrap().interval().unwrap().low > 0.2);
}

#[test]
fn arms_are_compared_on_both_sides() {
    let (items, people, twins) = experiment(600, 12);
    let table = compare(&items, &people, &twins, settings()).unwrap().arms.unwrap();
    assert_eq!((table.reference.as_str(), table.twins_in_all_arms), ("control", false));
    // Four numbers, two options, one of two categories.
    assert_eq!(table.effects.len(), 7);
    let of = |item: &str| table.effects.iter().find(|contrast| contrast.item == item).unwrap();
    assert!((of("a").people.difference - 0.5).abs() < 0.2 && (of("a").twins.difference - 1.0).abs() < 0.15);
    assert!(of("a").agreement.same_sign && of("a").agreement.same_significance);
    assert!(of("a").agreement.gap.low > 0.0 && of("a").q_people < 0.05);
    assert!(of("d").q_people > 0.05);
    let ok = of("ok");
    assert_eq!(ok.people.interval(), ok.twins.interval());
    // Newcombe's interval of shares, which is not Welch's.
    let halves = [ok.people.difference - ok.people.low, ok.people.high - ok.people.difference];
    assert!(halves.iter().all(|half| *half > 0.01) && halves[0] != halves[1], "{halves:?}");
    let summary = compare(&items[..4], &people, &twins, settings()).unwrap().arms.unwrap().agreement.unwrap();
    // Twins exaggerate: twice the effect at half the spread.
    assert!(summary.r.unwrap().value > 0.9 && (summary.slope.unwrap().value - 0.25).abs() < 0.1);
    assert_eq!(summary.significant.both + summary.significant.people_only, 3);
}

#[test]
fn twins_that_stood_in_every_arm_are_compared_with_themselves() {
    let (items, people, mut twins) = experiment(200, 13);
    // Twin p1 in the treated arm becomes the same twin as p0 in the control arm, and so on.
    for row in (1..200).step_by(2) {
        twins.ids[row] = twins.ids[row - 1].clone();
    }
    let table = compare(&items, &people, &twins, settings()).unwrap().arms.unwrap();
    assert!(table.twins_in_all_arms);
    let first = table.effects.iter().find(|contrast| contrast.item == "a").unwrap();
    assert_eq!((first.twins.n_first, first.twins.df, first.people.n_first), (100, 99.0, 100));
}

#[test]
fn subgroups_stand_beside_everybody_else() {
    let (items, people, mut twins) = experiment(400, 14);
    // The twins of men are far off in item a.
    let Some(Column::Numbers(values)) = twins.answers.get_mut("a") else { panic!() };
    for (row, value) in values.iter_mut().enumerate().filter(|(row, _)| (row / 2) % 2 == 1) {
        *value = value.map(|value| (value + 3.0).min(6.0 - (row % 2) as f64));
    }
    let found = compare(&items, &people, &twins, settings()).unwrap();
    let level = |level: &str| found.groups.iter().find(|group| group.value == level).unwrap();
    let (women, men) = (level("f"), level("m"));
    assert_eq!((women.pairs, men.pairs), (200, 200));
    assert!(men.accuracy.value < women.accuracy.value);
    let gap = men.gap.as_ref().unwrap();
    assert!(gap.interval().unwrap().high < 0.0);
    close(gap.value, men.accuracy.value - women.accuracy.value, 12);
    assert_eq!(men.questions[0].metrics.len(), 3);
    let few = Settings { min_subgroup: 201, ..settings() };
    assert!(compare(&items, &people, &twins, few).unwrap().groups.is_empty());
}

#[test]
fn sides_without_a_common_person_are_compared_as_samples() {
    let (items, people, mut twins) = experiment(300, 15);
    twins.ids.iter_mut().for_each(|id| id.insert(0, 't'));
    twins.arms = None;
    let found = compare(&items, &people, &twins, settings()).unwrap();
    assert!(!found.paired && found.arms.is_none() && found.groups.is_empty());
    assert_eq!(metric(&found, "d", "r"), None);
    assert_eq!(metric(&found, "use", "jaccard"), None);
    assert!((metric(&found, "d", "sd ratio").unwrap() - 0.5).abs() < 0.08);
    let d = found.questions.iter().find(|item| item.name == "d").unwrap();
    assert!(d.df.unwrap() != 299.0 && d.ks_p.unwrap() < 0.05);
    let use_ = found.questions.iter().find(|item| item.name == "use").unwrap();
    assert_eq!(use_.options[1].difference.value, 0.0);
    assert!(use_.options[1].difference.interval().unwrap().contains(0.0));
}

#[test]
fn equal_means_are_called_the_same_only_where_that_is_sure() {
    let (items, people, mut twins) = experiment(500, 16);
    twins.answers.insert("d".into(), people.answers["d"].clone());
    let Some(Column::Numbers(values)) = twins.answers.get_mut("d") else { panic!() };
    values.iter_mut().enumerate().for_each(|(row, value)| *value = value.map(|v| v + 0.1 * (row % 2) as f64 - 0.05));
    let of = |n: usize| {
        let cut = |side: &Respondents| Respondents {
            ids: side.ids[..n].to_vec(),
            answers: BTreeMap::from([(
                "d".to_owned(),
                match &side.answers["d"] {
                    Column::Numbers(values) => Column::Numbers(values[..n].to_vec()),
                    Column::Selections(_) => panic!(),
                },
            )]),
            ..Respondents::default()
        };
        let found = compare(&items, &cut(&people), &cut(&twins), settings()).unwrap();
        found.questions[0].equivalent
    };
    assert_eq!(of(500), Some(true));
    let (unsure, human, twin) = experiment(12, 17);
    let found = compare(&unsure, &human, &twin, settings()).unwrap();
    let d = found.questions.iter().find(|item| item.name == "d").unwrap();
    assert!(d.equivalent == Some(false) && d.p.unwrap() > 0.05);
}

#[test]
fn weights_move_means_and_lessen_the_effective_number() {
    let (items, mut people, twins) = experiment(300, 18);
    let before = compare(&items, &people, &twins, settings()).unwrap();
    people.weights = Some((0..300).map(|row| if row % 2 == 0 { 1.0 } else { 4.0 }).collect());
    let after = compare(&items, &people, &twins, settings()).unwrap();
    let Column::Numbers(values) = &people.answers["a"] else { panic!() };
    let (control, treated): (Vec<_>, Vec<_>) = values.iter().flatten().enumerate().partition(|(row, _)| row % 2 == 0);
    let mean = |of: Vec<(usize, &f64)>| of.iter().map(|(_, value)| **value).sum::<f64>() / 150.0;
    let (control, treated) = (mean(control), mean(treated));
    close(before.questions[0].mean_people.unwrap(), (control + treated) / 2.0, 10);
    close(after.questions[0].mean_people.unwrap(), (control + 4.0 * treated) / 5.0, 10);
    close(after.questions[0].n_effective, 300.0 * 6.25 / 8.5, 9);
    assert_eq!(after.questions[0].n_people, 300);
}

#[test]
fn the_same_seed_gives_the_same_table() {
    let (items, people, twins) = experiment(60, 19);
    let text = |seed| {
        let settings = Settings { bootstrap: Bootstrap { seed, replicates: 50, level: 0.9 }, ..Settings::default() };
        serde_json::to_string(&compare(&items, &people, &twins, settings).unwrap()).unwrap()
    };
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}

#[test]
fn pitfalls_that_people_or_repeats_tell_of_are_found_where_they_are_planted() {
    let (items, mut people, mut twins) = experiment(400, 22);
    let settings = settings();
    let sex = |row: usize| Some(["f", "m"][(row / 2) % 2].to_owned());
    people.attributes = BTreeMap::from([("sex".to_owned(), (0..400).map(sex).collect())]);
    let found = |twins: &Respondents, repeats: &[Respondents]| -> BTreeMap<String, bool> {
        let compared = compare(&items, &people, twins, settings).unwrap();
        let thresholds = Thresholds::default();
        let by = ["sex".to_owned()];
        let all = pitfalls(&items, &people, repeats, &compared, &by, &thresholds, settings.bootstrap);
        all.into_iter()
            .flat_map(|(kind, findings)| findings.into_iter().map(move |of| (format!("{kind:?} {}", of.of), of.warns)))
            .collect()
    };
    let honest = found(&twins, &[twins.clone()]);
    assert!(honest["Spread d"], "half the spread of people: {honest:?}");
    assert_eq!((honest["Stereotyping sex: d"], honest["SubgroupError sex: f"]), (false, false), "{honest:?}");
    assert!(!honest.keys().any(|name| name.starts_with("Instability")), "asked once: {honest:?}");
    // Twins that are their sex, and as spread as people; the second time half of them say what another one said.
    let Some(Column::Numbers(values)) = twins.answers.get_mut("d") else { panic!() };
    for (row, value) in values.iter_mut().enumerate() {
        *value = value.map(|value| value + [-1.0, 1.0][(row / 2) % 2]);
    }
    let mut again = twins.clone();
    let Some(Column::Numbers(values)) = again.answers.get_mut("d") else { panic!() };
    values.rotate_right(2);
    let planted = found(&twins, &[twins.clone(), again]);
    assert_eq!((planted["Spread d"], planted["Stereotyping sex: d"]), (false, true), "{planted:?}");
    assert_eq!((planted["Instability d"], planted["Instability a"]), (true, false), "{planted:?}");
}

#[test]
fn sides_that_contradict_themselves_are_refused() {
    let (items, people, twins) = experiment(20, 20);
    let mut doubled = people.clone();
    doubled.ids[2] = doubled.ids[0].clone();
    let refused = compare(&items, &doubled, &twins, settings()).unwrap_err();
    assert_eq!(refused, CompareRefused::Doubled { side: "people", id: "p0".into() });
    let mut short = twins;
    short.weights = Some(vec![1.0]);
    let refused = compare(&items, &people, &short, settings()).unwrap_err().to_string();
    assert_eq!(refused, "twins: the weights has 1 entries for 20 respondents");
}

#[test]
fn attributes_make_of_twins_what_they_make_of_people_or_something_else() {
    let (items, mut people, mut twins) = experiment(400, 21);
    // Men answer 1 more among people, and 1 less among twins, in item a.
    let shift = |side: &mut Respondents, by: f64| {
        let Some(Column::Numbers(values)) = side.answers.get_mut("a") else { panic!() };
        for value in values.iter_mut().enumerate().filter(|(row, _)| (row / 2) % 2 == 1).map(|(_, value)| value) {
            *value = value.map(|value| value + by);
        }
    };
    shift(&mut people, 1.0);
    shift(&mut twins, -1.0);
    let sex = ["sex".to_owned()];
    let found = regressions(&items, &people, &twins, &sex).unwrap();
    let of = |item: &str| found.iter().find(|of| of.name == item).unwrap();
    assert_eq!(found.len(), 4, "numbers only");
    let (a, d) = (of("a"), of("d"));
    assert_eq!((a.pairs, a.differ, a.flip_sign, a.terms[0].term.as_str()), (400, 1.0, 1.0, "sex: m"));
    assert!((a.terms[0].people - 1.0).abs() < 0.3 && (a.terms[0].twins + 1.0).abs() < 0.2);
    assert!(a.terms[0].p < 0.001 && d.terms[0].p > 0.001);
    // The difference of means, and the errors of two groups of other variances.
    let group = |men: bool| -> Vec<f64> {
        let Column::Numbers(values) = &people.answers["a"] else { panic!() };
        values
            .iter()
            .enumerate()
            .filter(|(row, _)| ((row / 2) % 2 == 1) == men)
            .map(|(_, value)| value.unwrap())
            .collect()
    };
    let ones = |values: &[f64]| vec![1.0; values.len()];
    let [men, women] = [true, false].map(|men| {
        let values = group(men);
        Mean::compute(&values, &ones(&values)).unwrap()
    });
    close(a.terms[0].people, men.mean - women.mean, 9);
    close(a.terms[0].people_error.powi(2), men.squared_error + women.squared_error, 9);
    // Who counts for nothing is not there.
    people.weights = Some((0..400).map(|row| f64::from(u8::from(row < 200))).collect());
    assert_eq!(regressions(&items, &people, &twins, &sex).unwrap()[0].pairs, 200);
    assert!(regressions(&items, &people, &twins, &[]).unwrap().is_empty());
    let many = (0..400).map(|row| Some(format!("{}", row % 21))).collect();
    twins.attributes.insert("age".into(), many);
    let refused = regressions(&items, &people, &twins, &["age".to_owned()]).unwrap_err();
    assert_eq!(refused, "age has more than 20 values: it is no attribute to regress on");
}

use evidence::compare::{Column, Item, Respondents, Settings, compare};
use evidence::ecdf::{EcdfPoint, ecdf_pair};
use evidence::metrics::{Metric, Scale};

fn point(value: f64, people: f64, twins: f64) -> EcdfPoint {
    EcdfPoint { value, people, twins }
}

#[test]
fn shares_are_weighted_and_stand_at_each_value_of_either_side() {
    let pair = ecdf_pair((&[3.0, 1.0, 3.0], &[1.0, 2.0, 1.0]), (&[2.0, 1.0], &[1.0, 1.0]));
    assert_eq!(pair, [point(1.0, 0.5, 0.5), point(2.0, 0.5, 1.0), point(3.0, 1.0, 1.0)]);
    assert_eq!(ecdf_pair((&[], &[]), (&[1.0], &[1.0])), []);
    assert_eq!(ecdf_pair((&[1.0], &[0.0]), (&[1.0], &[1.0])), []);
}

#[test]
fn of_many_values_a_hundred_are_kept_and_each_is_exact() {
    let values: Vec<f64> = (0..1000).map(f64::from).collect();
    let weights = vec![1.0; 1000];
    let pair = ecdf_pair((&values, &weights), (&values[..500], &weights[..500]));
    assert_eq!((pair.len(), pair[0], pair[99]), (100, point(0.0, 0.001, 0.002), point(999.0, 1.0, 1.0)));
    for EcdfPoint { value, people, twins } in pair {
        let (of_people, of_twins) = ((value + 1.0) / 1000.0, ((value + 1.0) / 500.0).min(1.0));
        assert!((people - of_people).abs() < 1e-12 && (twins - of_twins).abs() < 1e-12, "{value}: {people}, {twins}");
    }
}

#[test]
fn items_with_an_order_have_both_functions_and_their_largest_gap_is_ks() {
    let side = |first: f64| Respondents {
        ids: vec!["a".into(), "b".into()],
        answers: ["ordered", "named"]
            .map(|name| (name.to_owned(), Column::Numbers(vec![Some(first), Some(3.0)])))
            .into(),
        ..Respondents::default()
    };
    let items = [
        Item::single("ordered", Scale::Ordinal { categories: 3 }),
        Item::single("named", Scale::Nominal { categories: 3 }),
    ];
    let compared = compare(&items, &side(1.0), &side(2.0), Settings::default()).unwrap();
    let [ordered, named] = &compared.questions[..] else { panic!("two items") };
    assert_eq!(ordered.ecdf, [point(1.0, 0.5, 0.0), point(2.0, 0.5, 0.5), point(3.0, 1.0, 1.0)]);
    let ks = ordered.metrics.iter().find(|value| value.metric == Metric::KolmogorovSmirnov.name()).unwrap();
    assert!((ks.estimate.value - 0.5).abs() < 1e-12);
    assert_eq!(named.ecdf, []);
}

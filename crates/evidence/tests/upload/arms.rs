//! The columns and values of people's files that say the arms of random nodes.

use std::collections::BTreeMap;

use evidence::upload::{
    ArmsFoundBy, ChosenArms, Deals, KnownArm, MatchedArms, MatchedNode, RandomNode, match_arms, parse,
};

fn arm(name: &str, also: &[&str], fields: &[(&str, &str)]) -> KnownArm {
    KnownArm {
        name: name.to_owned(),
        also: also.iter().map(|name| (*name).to_owned()).collect(),
        fields: fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
    }
}

fn node(id: &str, deals: Deals, arms: &[KnownArm]) -> RandomNode {
    RandomNode { name: id.to_owned(), import_id: Some(id.to_owned()), deals, arms: arms.to_vec(), parts: Vec::new() }
}

/// A node whose arms have ids, names and fields.
fn fee() -> RandomNode {
    let arms = [
        arm("no fee", &["FL_9", "No fee"], &[("fee", "none"), ("size", "small")]),
        arm("resort fee", &["FL_10", "Resort fee"], &[("fee", "resort"), ("size", "small")]),
    ];
    node("FL_7", Deals::OneArm, &arms)
}

fn matched(nodes: &[RandomNode], csv: &str, chosen: &[(&str, ChosenArms)]) -> Result<MatchedArms, (String, String)> {
    let table = parse(csv.as_bytes(), |_| false).unwrap();
    let chosen: BTreeMap<String, ChosenArms> =
        chosen.iter().map(|(name, chosen)| ((*name).to_owned(), chosen.clone())).collect();
    match_arms(nodes, &table, &chosen)
}

fn only(nodes: &[RandomNode], csv: &str) -> MatchedNode {
    matched(nodes, csv, &[]).unwrap().matched.into_iter().next().expect("a column is found")
}

#[test]
fn columns_of_a_node_say_its_arms_by_ids_and_by_names_without_spaces() {
    for csv in [
        "FL_7_DO\nFL_10\nFL_9\n\n",
        "FL_7_DO_FL_9,FL_7_DO_FL_10\n,1\n1,\n,\n",
        "FL_7_DO_Nofee,FL_7_DO_Resortfee\n,1\n1,\n,\n",
    ] {
        let found = only(&[fee()], csv);
        assert_eq!((found.by, found.columns), (ArmsFoundBy::NodeId, vec!["FL_7_DO".to_owned()]), "{csv}");
        assert_eq!(found.of_rows[..2], ["resort fee", "no fee"], "{csv}");
        assert_eq!(found.people, 2, "{csv}");
    }
}

#[test]
fn fields_say_the_arms_alone_or_together() {
    let found = only(&[fee()], "fee,size\nresort,small\nnone,small\nother,small\n");
    assert_eq!((found.by, found.columns), (ArmsFoundBy::Fields, vec!["fee".to_owned()]));
    assert_eq!(found.of_rows, ["resort fee", "no fee", ""]);
    let cell = |name: &str, emotion, cond| arm(name, &[], &[("emotion", emotion), ("cond", cond)]);
    let cells = [cell("a", "calm", "prime"), cell("b", "calm", "control"), cell("c", "glad", "prime")];
    let found = only(&[node("FL_6", Deals::OneArm, &cells)], "emotion,cond\nglad,prime\ncalm,control\nglad,control\n");
    assert_eq!(found.columns, ["cond", "emotion"]);
    assert_eq!(found.of_rows, ["c", "b", ""]);
}

#[test]
fn other_columns_that_say_the_arm_are_counted() {
    let found = only(&[fee()], "FL_7_DO,fee\nFL_9,none\nFL_10,resort\nFL_10,none\n");
    let agreeing = &found.agreeing[0];
    assert_eq!((agreeing.column.as_str(), agreeing.agrees, agreeing.of), ("fee", 2, 3));
}

#[test]
fn the_last_of_all_holds_and_of_two_parts_the_first() {
    let group = |name: &str| arm(name, &[], &[("Group", name)]);
    let last = node("FL_4", Deals::LastOfAll, &[group("x"), group("y"), group("z")]);
    let found = only(&[last], "FL_4_DO_x,FL_4_DO_y,FL_4_DO_z\n1,3,2\n3,2,1\n1,2,\n");
    assert_eq!(found.of_rows, ["y", "x", ""], "who was not shown all has no arm");
    let parts = [arm("DV 1", &["FL_30", "DV 1"], &[]), arm("DV 2", &["FL_31", "DV 2"], &[])];
    let found = only(&[node("FL_3", Deals::FirstOfTwo, &parts)], "FL_3_DO\nDV2|DV1\nDV1|DV2\nDV1\n");
    assert_eq!(found.of_rows, ["DV 2", "DV 1", ""]);
}

#[test]
fn nodes_with_the_same_arms_are_one_experiment() {
    let arms = || [arm("a", &["FL_21"], &[("card", "gold")]), arm("b", &["FL_22"], &[("card", "blue")])];
    let other = [arm("b2", &["FL_31"], &[("card", "blue")]), arm("a2", &["FL_32"], &[("card", "gold")])];
    let whole = RandomNode {
        import_id: None,
        parts: vec!["FL_2".to_owned(), "FL_3".to_owned()],
        ..node("FL_2+FL_3", Deals::OneArm, &arms())
    };
    let nodes = [node("FL_2", Deals::OneArm, &arms()), node("FL_3", Deals::OneArm, &other), whole];
    let found = matched(&nodes, "FL_2_DO,FL_3_DO\nFL_21,\n,FL_31\n,FL_32\n,\n", &[]).unwrap();
    let whole = &found.matched[2];
    assert_eq!((whole.by, whole.of_rows.join(",")), (ArmsFoundBy::Parts, "a,b,a".to_owned()));
}

#[test]
fn what_is_not_matched_is_said_with_the_nearest_name() {
    let found = matched(&[fee()], "Q1,feee\n1,none\n", &[]).unwrap();
    assert_eq!(found.matched, []);
    let left = &found.unmatched[0];
    assert_eq!((left.node.as_str(), left.nearest.as_deref()), ("FL_7", Some("feee")));
    let found = only(&[fee()], "fee\nnone\nresrt\n");
    let value = found.values.iter().find(|value| value.value == "resrt").unwrap();
    assert_eq!((value.arm.as_deref(), value.nearest.as_deref(), value.people), (None, Some("resort fee"), 1));
}

#[test]
fn somebody_can_choose_columns_and_meanings() {
    let chosen = |column: Option<&str>, values: &[(&str, Option<&str>)]| ChosenArms {
        column: column.map(str::to_owned),
        values: values.iter().map(|(value, arm)| ((*value).to_owned(), arm.map(str::to_owned))).collect(),
    };
    let csv = "FL_7_DO,cond\nFL_9,1\nFL_10,2\nFL_9,none\n";
    let of = |chosen: ChosenArms| matched(&[fee()], csv, &[("FL_7", chosen)]);
    let found = of(chosen(Some("cond"), &[("1", Some("resort fee")), ("2", None)])).unwrap().matched.remove(0);
    assert_eq!((found.by, found.of_rows.join(",")), (ArmsFoundBy::Chosen, "resort fee,,no fee".to_owned()));
    let left = of(chosen(None, &[])).unwrap();
    assert_eq!((left.matched.len(), left.unmatched[0].reason.as_str()), (0, "left out by choice"));
    for (chosen, reason) in [
        (chosen(Some("color"), &[]), "there is no column color"),
        (chosen(Some("cond"), &[("1", Some("tip"))]), "there is no arm tip"),
    ] {
        assert_eq!(of(chosen).unwrap_err(), ("FL_7".to_owned(), reason.to_owned()));
    }
    let unknown = matched(&[fee()], csv, &[("FL_8", ChosenArms::default())]).unwrap_err();
    assert_eq!(unknown.1, "the survey has no such random node with arms");
}

//! Checks the numbers of nodes: `take`, `weight` and `order`.

use crate::finding::{FindingCode, Findings, below};
use crate::flow::{Design, Node, Order, Random};
use crate::plan::MAX_DEPTH;
use crate::williams;

const MAX_WEIGHT: u32 = 100;

pub fn check(design: &Design, findings: &mut Findings) {
    walk(design, &design.flow, "/flow", 1, findings);
}

fn walk(design: &Design, nodes: &[Node], pointer: &str, depth: usize, findings: &mut Findings) {
    if depth > MAX_DEPTH {
        return;
    }
    for (index, node) in nodes.iter().enumerate() {
        let place = below(pointer, index);
        let mut inside = |nodes: &[Node], place: &str| walk(design, nodes, place, depth + 1, findings);
        match node {
            Node::Random(of) => {
                for (arm, of) in of.of.iter().enumerate() {
                    inside(&of.flow, &format!("{place}/of/{arm}/flow"));
                }
                random(of, &place, findings);
            }
            Node::If(branch) => {
                inside(&branch.then, &below(&place, "then"));
                inside(branch.otherwise.as_deref().unwrap_or_default(), &below(&place, "else"));
            }
            Node::Loop(turns) => {
                inside(&turns.flow, &below(&place, "flow"));
                let Some(table) = design.tables.get(&turns.table) else { continue };
                let take = turns.take.map_or(table.rows.len(), |take| take.try_into().unwrap_or(usize::MAX));
                taken(take, table.rows.len(), "rows", &place, findings);
                latin(turns.order, take, &place, findings);
            }
            Node::Block(block) => {
                let pinned = block.pin.as_ref().map_or(0, |pin| pin.len());
                latin(block.order, block.questions.len().saturating_sub(pinned), &place, findings);
            }
            Node::Group(group) => inside(group, &place),
            Node::Set(_) | Node::End(_) => {}
        }
    }
}

fn random(node: &Random, place: &str, findings: &mut Findings) {
    if node.of.is_empty() {
        findings.error(FindingCode::NoChildren, below(place, "of"), "The random node has no children to deal.");
        return;
    }
    let take = node.take.map_or(node.of.len(), |take| take.try_into().unwrap_or(usize::MAX));
    taken(take, node.of.len(), "children", place, findings);
    latin(node.order, take, place, findings);
    let weights: Vec<u32> = node.of.iter().map(|arm| arm.weight.unwrap_or(1)).collect();
    for (index, weight) in weights.iter().enumerate().filter(|(_, weight)| !(1..=MAX_WEIGHT).contains(*weight)) {
        let message = format!("The weight is {weight}, must be 1 to {MAX_WEIGHT}.");
        findings.error(FindingCode::BadWeight, format!("{place}/of/{index}/weight"), message);
    }
    let total: usize =
        weights.iter().map(|weight| usize::try_from(*weight).unwrap_or(usize::MAX)).fold(0, usize::saturating_add);
    let heaviest = weights.iter().copied().max().unwrap_or_default().try_into().unwrap_or(usize::MAX);
    let is_weighted = weights.iter().any(|weight| Some(weight) != weights.first());
    if is_weighted && take >= node.of.len() {
        let message = "Every twin is dealt all children, so their weights have no effect.";
        findings.warning(FindingCode::WeightsNotKept, place, message);
    } else if is_weighted && take.saturating_mul(heaviest) > total {
        let message =
            format!("A twin is dealt {take} different children: one cannot weigh more than the others can fill.");
        findings.error(FindingCode::WeightsNotKept, place, message);
    }
}

fn taken(take: usize, there: usize, of: &str, place: &str, findings: &mut Findings) {
    if take == 0 || take > there {
        let message = format!("The node takes {take} of {there} {of}.");
        findings.error(FindingCode::TooManyTaken, below(place, "take"), message);
    }
}

fn latin(order: Option<Order>, items: usize, place: &str, findings: &mut Findings) {
    if order == Some(Order::Latin) && items > williams::MAX_ITEMS {
        let message = format!("The order is latin over {items}, {} is the most.", williams::MAX_ITEMS);
        findings.error(FindingCode::LatinTooLong, below(place, "order"), message);
    }
}

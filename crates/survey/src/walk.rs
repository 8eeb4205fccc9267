//! Walks through a plan with one twin's assignment and stored answers, and finds what to ask next.
//!
//! The questions are always cut into calls from the beginning: a call ends when it is full, and before the first
//! element that reads one of its answers. The next stage is the first call with an open question, so a crash or a retry
//! finds the same one. A later call is not considered before all earlier ones are settled.

mod dealt;
mod facts;
mod show;
mod stage;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;

use self::dealt::{AssignmentDeal, each_question, has_end};
use super::assign::Assignment;
use super::condition::{Known, Truth};
use super::flow::Ending;
use super::given::Given;
use super::outline::{Outline, dealt_arms, set_in};
use super::pipe::Rendered;
use super::plan::{BlockStep, IfStep, Plan, RandomStep, SetStep, Step};
use super::twin::Twin;

pub use stage::{
    CallScope, InterviewState, OptionOrder, Reason, ShownQuestion, Stage, StageParameters, WalkProgress, Walked,
};

/// Returns the requests that the assignment can reach, as positions in the plan. A run holds credits for them.
pub fn reachable(plan: &Plan, twin: &Twin, assignment: &Assignment) -> Vec<usize> {
    Outline::traverse(plan, Some(twin), AssignmentDeal(assignment)).requests().collect()
}

pub fn next(interview: InterviewState<'_>) -> WalkProgress {
    let plan = interview.plan;
    let mut walk = Walk {
        interview,
        fields: HashMap::new(),
        call: Vec::new(),
        earlier: Vec::with_capacity(plan.items.len()),
        fates: vec![Fate::Unseen; plan.items.len()],
        passed: vec![false; plan.items.len()],
        requests: 0,
        in_call: 0,
        calls: 0,
        block_is_cut: false,
        end_is_unknown: false,
    };
    let halt = walk.go(&plan.steps);
    let ended = match halt {
        Break(Halt::Ended(ending)) => Some(ending),
        _ => None,
    };
    let is_at_the_end = !matches!(halt, Break(Halt::Open));
    // The last call may be open although everything after it is decided.
    let is_open = !is_at_the_end || walk.close().is_break();
    walk.progress(is_open, is_at_the_end, ended)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Unseen,
    /// Shown in the call that is being assembled.
    InCall,
    /// Shown in an earlier call, at this position of `earlier`.
    Earlier(usize),
    Skipped,
    Upstream,
}

enum Halt {
    /// The call has an open question.
    Open,
    Ended(Ending),
}

struct Walk<'a> {
    interview: InterviewState<'a>,
    /// Values of fields and of random nodes.
    fields: HashMap<&'a str, Known>,
    call: Vec<Arc<ShownQuestion>>,
    earlier: Vec<Arc<ShownQuestion>>,
    /// The fate of each of the plan's items.
    fates: Vec<Fate>,
    /// Whether each item was in a branch that was not taken.
    passed: Vec<bool>,
    requests: u32,
    /// Number of requests in the call that is being assembled.
    in_call: usize,
    /// Number of calls that ended.
    calls: u32,
    /// Whether a text of this block cannot be shown because it pipes a failed answer. The questions after it may refer
    /// to it.
    block_is_cut: bool,
    /// Whether a failed answer leaves it unknown if the interview had ended.
    end_is_unknown: bool,
}

impl<'a> Walk<'a> {
    fn go(&mut self, steps: &'a [Step]) -> ControlFlow<Halt> {
        steps.iter().try_for_each(|step| match step {
            Step::Block(block) => self.block(block),
            Step::Random(random) => self.random(random),
            Step::If(branch) => self.branch(branch),
            Step::Set(set) => self.set(set),
            Step::Loop(turns) => turns.flow.iter().try_for_each(|flow| self.go(flow)),
            Step::End(ending) if !self.end_is_unknown => Break(Halt::Ended(*ending)),
            Step::End(_) => Continue(()),
        })
    }

    fn block(&mut self, block: &'a BlockStep) -> ControlFlow<Halt> {
        self.block_is_cut = false;
        if self.interview.parameters.call_scope == CallScope::Block {
            self.close()?;
        }
        match self.interview.assignment.orders.get(&*block.name) {
            None => block.questions.iter().try_for_each(|item| self.question(*item, block)),
            Some(order) => {
                let item = |place: &u16| block.questions.get(usize::from(*place).checked_sub(1)?);
                order.iter().filter_map(item).try_for_each(|item| self.question(*item, block))
            }
        }
    }

    fn random(&mut self, random: &'a RandomStep) -> ControlFlow<Halt> {
        let Some(dealt) = self.interview.assignment.arms.get(&random.name) else { return Continue(()) };
        let given = dealt_arms(random.take, dealt.iter().map(AsRef::as_ref));
        self.fields.insert(&random.name, Known::Given(given));
        let arms = dealt.iter().filter_map(|name| random.arms.iter().find(|arm| arm.name == *name));
        arms.into_iter().try_for_each(|arm| self.go(&arm.steps))
    }

    fn branch(&mut self, branch: &'a IfStep) -> ControlFlow<Halt> {
        let (taken, other) = match self.decided(|walk| branch.condition.evaluate(walk))? {
            Truth::True => (&branch.then, &branch.otherwise),
            Truth::False | Truth::Pending => (&branch.otherwise, &branch.then),
            Truth::Failed => {
                let mut names = Vec::new();
                for steps in [&branch.then, &branch.otherwise] {
                    each_question(steps, &mut |item| self.fail(item));
                    set_in(steps, &mut names);
                    self.end_is_unknown |= has_end(steps);
                }
                self.fields.extend(names.into_iter().map(|name| (name, Known::Failed)));
                return Continue(());
            }
        };
        let passed = &mut self.passed;
        each_question(other, &mut |item| passed.iter_mut().skip(item).take(1).for_each(|passed| *passed = true));
        self.go(taken)
    }

    fn set(&mut self, set: &'a SetStep) -> ControlFlow<Halt> {
        let mut values = Vec::with_capacity(set.values.len());
        for (name, template) in &set.values {
            let rendered = loop {
                match template.render(self) {
                    Rendered::Pending if self.has_requests() => self.close()?,
                    rendered => break rendered,
                }
            };
            values.push((
                name.as_str(),
                match rendered {
                    Rendered::Text { text, .. } => Known::Given(Given::text(&text)),
                    Rendered::Pending | Rendered::Failed => Known::Failed,
                },
            ));
        }
        self.fields.extend(values);
        Continue(())
    }

    fn question(&mut self, item: usize, block: &BlockStep) -> ControlFlow<Halt> {
        let plan = self.interview.plan;
        let (Some(Fate::Unseen), Some(question)) = (self.fates.get(item).copied(), plan.items.get(item)) else {
            return Continue(());
        };
        // Whether a question is shown never changes after it was shown once.
        if let Some(shown) = self.interview.walked.and_then(|walked| walked.shown(item)) {
            if shown.calls_before > self.calls {
                self.close()?;
            }
            return self.ask(Arc::clone(shown), question.is_request());
        }
        if self.end_is_unknown {
            self.fail(item);
            return Continue(());
        }
        let show_if = plan.templates.get(item).and_then(|templates| templates.show_if.as_ref());
        let truth = match show_if {
            Some(condition) => self.decided(|walk| condition.evaluate(walk))?,
            None => Truth::True,
        };
        match truth {
            Truth::True => {}
            Truth::Failed => {
                self.block_is_cut |= !question.is_request();
                self.fail(item);
                return Continue(());
            }
            Truth::False | Truth::Pending => {
                self.decide(item, Fate::Skipped);
                return Continue(());
            }
        }
        if question.is_request() && self.block_is_cut {
            self.fail(item);
            return Continue(());
        }
        let shown = loop {
            match self.show(item, block) {
                Err(Truth::Pending) if self.has_requests() => self.close()?,
                shown => break shown,
            }
        };
        match shown {
            Ok(shown) => self.ask(Arc::new(shown), question.is_request()),
            Err(Truth::Failed) => {
                self.block_is_cut |= !question.is_request();
                self.fail(item);
                Continue(())
            }
            // The question has nothing to choose from.
            Err(_) => {
                self.decide(item, Fate::Skipped);
                Continue(())
            }
        }
    }

    fn ask(&mut self, mut shown: Arc<ShownQuestion>, is_request: bool) -> ControlFlow<Halt> {
        if is_request {
            let StageParameters { questions_per_call, call_scope, .. } = self.interview.parameters;
            let most = if call_scope == CallScope::Question { 1 } else { questions_per_call.max(1) };
            if self.in_call >= usize::from(most) {
                self.close()?;
            }
            self.requests += 1;
            self.in_call += 1;
        }
        let (position, calls_before) = (self.requests + u32::from(!is_request), self.calls);
        if (shown.position, shown.calls_before) != (position, calls_before) {
            let shown = Arc::make_mut(&mut shown);
            (shown.position, shown.calls_before) = (position, calls_before);
        }
        self.decide(shown.item, Fate::InCall);
        self.call.push(shown);
        Continue(())
    }

    /// Evaluates a condition, and closes calls until it is decided.
    fn decided(&mut self, evaluate: impl Fn(&Self) -> Truth) -> ControlFlow<Halt, Truth> {
        loop {
            match evaluate(self) {
                Truth::Pending if self.has_requests() => self.close()?,
                truth => return Continue(truth),
            }
        }
    }

    /// Closes the call. Texts at its end are shown with the question that follows them.
    fn close(&mut self) -> ControlFlow<Halt> {
        let Some(last) = self.call.iter().rposition(|shown| self.is_request(shown)) else { return Continue(()) };
        if self.call.iter().any(|shown| self.is_open(shown)) {
            return Break(Halt::Open);
        }
        self.calls += 1;
        self.in_call = 0;
        for (place, shown) in (self.earlier.len()..).zip(self.call.drain(..=last)) {
            if let Some(fate) = self.fates.get_mut(shown.item) {
                *fate = Fate::Earlier(place);
            }
            self.earlier.push(shown);
        }
        Continue(())
    }

    fn is_request(&self, shown: &ShownQuestion) -> bool {
        self.interview.plan.items.get(shown.item).is_some_and(super::item::Item::is_request)
    }

    fn is_open(&self, shown: &ShownQuestion) -> bool {
        let id = shown.question.id;
        self.is_request(shown) && !self.interview.answers.contains_key(&id) && !self.interview.failed.contains(&id)
    }

    fn has_requests(&self) -> bool {
        self.in_call > 0
    }

    fn decide(&mut self, item: usize, fate: Fate) {
        if let Some(place) = self.fates.get_mut(item) {
            *place = fate;
        }
    }

    /// Marks the item as depending on a failed answer.
    fn fail(&mut self, item: usize) {
        if self.fates.get(item) == Some(&Fate::Unseen) {
            self.decide(item, Fate::Upstream);
        }
    }

    fn progress(self, is_open: bool, is_at_the_end: bool, ended: Option<Ending>) -> WalkProgress {
        let InterviewState { plan, twin, assignment, walked, .. } = self.interview;
        let mut progress = WalkProgress { ended, ..WalkProgress::default() };
        let says_something = |fate: &Fate| match fate {
            Fate::Skipped | Fate::Upstream => true,
            Fate::Unseen => is_at_the_end,
            Fate::InCall | Fate::Earlier(_) => false,
        };
        let reached: Cow<'_, [usize]> = match walked {
            _ if !self.fates.iter().any(says_something) => Cow::default(),
            Some(walked) => walked.reached.as_slice().into(),
            None => reachable(plan, twin, assignment).into(),
        };
        for item in reached.iter().copied() {
            let Some(id) = plan.items.get(item).map(|item| item.question.id) else { continue };
            let has_passed = self.passed.get(item).copied().unwrap_or(false);
            match self.fates.get(item) {
                Some(Fate::Skipped) => progress.skipped.push((id, Reason::Logic)),
                Some(Fate::Upstream) => progress.upstream.push(id),
                Some(Fate::Unseen) if is_at_the_end => {
                    let is_screened_out = ended == Some(Ending::ScreenedOut) && !has_passed;
                    progress.skipped.push((id, if is_screened_out { Reason::ScreenedOut } else { Reason::Logic }));
                }
                _ => {}
            }
        }
        for (name, known) in &self.fields {
            if let (Known::Given(given), false) = (known, assignment.arms.contains_key(*name)) {
                progress.fields.insert((*name).to_owned(), given.display());
            }
        }
        if is_open {
            let open = self.call.iter().filter(|shown| self.is_open(shown)).map(|shown| shown.question.id).collect();
            let mut asked = self.call;
            let last = asked.iter().rposition(|shown| plan.items.get(shown.item).is_some_and(|item| item.is_request()));
            asked.truncate(last.map_or(0, |last| last + 1));
            progress.stage = Some(Stage { asked, open, earlier: self.earlier });
        } else {
            progress.shown = self.earlier;
        }
        progress
    }
}

//! The texts of mails. Each becomes a plain-text part and an HTML part.

use std::fmt::Write as _;

use serde_json::Value;

/// The content of a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    pub subject: String,
    paragraphs: Vec<String>,
    /// Label and address of the link.
    link: Option<(&'static str, String)>,
}

const GREETING: &str = "Digital Twin Lab";

impl Letter {
    /// Builds the letter of a kind from `facts`. Links start with `url`. `None`: unknown kind.
    pub fn render(kind: &str, facts: &Value, url: &str) -> Option<Self> {
        let fact = |name: &str| match &facts[name] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let sign_in = || Some(("Sign in", format!("{url}/login")));
        let results = || {
            let path = format!("/simulation-responses/{}/{}", fact("surveyId"), fact("simulationId"));
            Some(("View the responses", format!("{url}{path}")))
        };
        let letter = |subject: String, paragraphs: Vec<String>, link| Some(Self { subject, paragraphs, link });
        match kind {
            "sign_in" => letter(
                format!("{} is your verification code", fact("code")),
                vec![
                    format!("Your verification code is {}.", fact("code")),
                    "It is good for 10 minutes and works once. If you did not ask for it, ignore this mail: nobody \
                     can sign in without the code."
                        .to_owned(),
                    "If the code is refused because somebody else has tried too many wrong ones, the link signs you in \
                     all the same."
                        .to_owned(),
                ],
                // After the #, because browsers send that part to no server.
                Some((
                    "Sign in without the code",
                    format!(
                        "{url}/login#email={}&key={}",
                        form_urlencoded::byte_serialize(fact("email").as_bytes()).collect::<String>(),
                        fact("key")
                    ),
                )),
            ),
            "codes_blocked" => letter(
                "Sign-in codes are switched off for a day".to_owned(),
                vec![
                    format!(
                        "{} wrong verification codes were entered for your account within 24 hours. Until the day has \
                         passed no code is accepted, also not the right one.",
                        fact("tries")
                    ),
                    "You can sign in all the same: ask for a code and open the link in that mail. If these tries were not \
                     yours, somebody is guessing at your codes; nobody has signed in by them."
                        .to_owned(),
                ],
                sign_in(),
            ),
            "invitation" => letter(
                "You were added to a research group".to_owned(),
                vec![
                    format!("{} added you to the research group {}.", fact("inviter"), fact("group")),
                    "Sign in with this e-mail address; a verification code is sent to it.".to_owned(),
                ],
                sign_in(),
            ),
            "access_requested" => letter(
                format!("Access requested by {}", fact("email")),
                vec![
                    format!(
                        "{} of {} asks for access.",
                        fact("email"),
                        or(fact("institution"), "an unnamed institution")
                    ),
                    format!("Purpose of use: {}", or(fact("purpose"), "not given")),
                    format!("Description: {}", or(fact("description"), "not given")),
                ],
                Some(("Review the request", format!("{url}/admin"))),
            ),
            "access_approved" => letter(
                "Your access to Digital Twin Lab is approved".to_owned(),
                vec![
                    "Your request for access was approved.".to_owned(),
                    "Next steps: sign in with this e-mail address, create a group under My Groups, add its members \
                     and give each a budget, yourself included. One simulated response costs one credit."
                        .to_owned(),
                ],
                sign_in(),
            ),
            "access_rejected" => letter(
                "Your request for access to Digital Twin Lab".to_owned(),
                vec![
                    "Thank you for your interest. We cannot approve your request for access.".to_owned(),
                    format!("Reason: {}", or(fact("reason"), "not given")),
                ],
                None,
            ),
            "run_ended" if fact("status") == "COMPLETED" => letter(
                format!("Simulation of \"{}\" is complete", fact("survey")),
                vec![format!("All {} responses are there.", fact("succeeded"))],
                results(),
            ),
            "run_ended" => letter(
                format!("Simulation of \"{}\" ended with failed requests", fact("survey")),
                vec![
                    format!("{} responses are there; {} requests failed.", fact("succeeded"), fact("failed")),
                    fact("reason"),
                    "Failed requests cost nothing. You can retry them from the simulation history.".to_owned(),
                ],
                results(),
            ),
            "run_paused" => letter(
                format!("Simulation of \"{}\" was paused by an error", fact("survey")),
                vec![
                    fact("reason"),
                    format!("{} responses are there so far. Resume it once the cause is gone.", fact("succeeded")),
                ],
                Some(("Open the simulation history", format!("{url}/simulation-history"))),
            ),
            "low_budget" => letter(
                format!("Your budget in {} is low", fact("group")),
                vec![
                    format!("You have {} credits left in the group {}.", fact("available"), fact("group")),
                    "One simulated response costs one credit per persona per question. The owner of the group can add \
                     funds."
                        .to_owned(),
                ],
                Some(("View your transactions", format!("{url}/transactions"))),
            ),
            _ => None,
        }
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        for paragraph in self.paragraphs.iter().filter(|paragraph| !paragraph.is_empty()) {
            let _ = write!(text, "{paragraph}\r\n\r\n");
        }
        if let Some((label, address)) = &self.link {
            let _ = write!(text, "{label}: {address}\r\n\r\n");
        }
        let _ = write!(text, "-- \r\n{GREETING}\r\n");
        text
    }

    pub fn html(&self) -> String {
        let mut html = String::from("<!doctype html><html lang=\"en\"><body style=\"font-family: sans-serif\">");
        for paragraph in self.paragraphs.iter().filter(|paragraph| !paragraph.is_empty()) {
            let _ = write!(html, "<p>{}</p>", escaped(paragraph));
        }
        if let Some((label, address)) = &self.link {
            let _ = write!(html, "<p><a href=\"{}\">{label}</a></p>", escaped(address));
        }
        let _ = write!(html, "<p>{GREETING}</p></body></html>");
        html
    }
}

fn or(text: String, otherwise: &str) -> String {
    if text.trim().is_empty() { otherwise.to_owned() } else { text }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_people_wrote_stays_text_in_the_html_part() {
        let facts = json!({"email": "a@b.c", "institution": "<b>", "purpose": "", "description": "\"&\""});
        let letter = Letter::render("access_requested", &facts, "https://lab.example").expect("a letter");
        assert!(letter.html().contains("a@b.c of &lt;b&gt; asks"));
        assert!(letter.html().contains("&quot;&amp;&quot;"));
        assert!(letter.text().contains("Purpose of use: not given"));
        assert!(letter.text().contains("Review the request: https://lab.example/admin"));
    }

    #[test]
    fn a_failed_run_tells_its_counts_and_the_reason() {
        let facts = json!({"survey": "Tea", "status": "FAILED", "succeeded": 3, "failed": 2, "reason": "refused",
            "surveyId": 1, "simulationId": "x"});
        let letter = Letter::render("run_ended", &facts, "").expect("a letter");
        assert!(letter.text().starts_with("3 responses are there; 2 requests failed.\r\n\r\nrefused"));
        assert!(Letter::render("unheard", &facts, "").is_none());
    }
}

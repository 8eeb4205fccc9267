//! Diagnostics of known pitfalls, by the default thresholds. They have no prose, because another version may word it
//! differently.

use std::io::{self, Write};

use evidence::diagnostics::{Diagnosis, Finding};
use export::number::figure;
use serde_json::{Value, json};

/// Adds `diagnostics` to an open object: one a line, whose findings are null where the run has no data for it.
pub fn write(diagnoses: &[Diagnosis], out: &mut impl Write) -> io::Result<()> {
    out.write_all(b",\n  \"diagnostics\": [")?;
    for (place, of) in diagnoses.iter().enumerate() {
        let findings = of.applicable().map(|findings| findings.iter().map(json).collect::<Vec<_>>());
        let value = json!({ "diagnostic": of.diagnostic, "findings": findings });
        write!(out, "{}\n    {value}", if place == 0 { "" } else { "," })?;
    }
    out.write_all(b"\n  ]")
}

fn json(of: &Finding) -> Value {
    json!({
        "of": of.of,
        "value": figure(Some(of.value)),
        "threshold": figure(Some(of.threshold)),
        "n": of.n,
        "warns": of.warns,
    })
}

//! The sets of twins that can be validated.

use diesel_async::AsyncPgConnection;
use simulation::parameters::PersonaVariant;

use super::survey;
use crate::error::Result;
use crate::models::held_out::{self, HeldOutQuestion};
use crate::models::personas::{self, PersonaSet};

/// A set of twins that can be validated.
pub struct Validatable {
    pub set: PersonaSet,
    pub questions: Vec<HeldOutQuestion>,
    pub variants: Vec<PersonaVariant>,
    pub headline: PersonaVariant,
}

impl Validatable {
    /// Errors: why it cannot be.
    pub async fn of(
        conn: &mut AsyncPgConnection,
        set: PersonaSet,
    ) -> Result<std::result::Result<Self, (PersonaSet, String)>> {
        let questions = held_out::questions(conn, set.id).await?;
        if survey::asked(&questions, false).is_empty() {
            let reason = "These twins have no answers that were held out. Import Twin-2K-500's wave_split, or invent \
                          synthetic twins.";
            return Ok(Err((set, reason.to_owned())));
        }
        let mut variants = Vec::new();
        for variant in [PersonaVariant::Waves1To3, PersonaVariant::Summary] {
            if personas::has_texts(conn, set.id, variant).await? {
                variants.push(variant);
            }
        }
        let Some(headline) = variants.first().copied() else {
            return Ok(Err((set, "The twins have no text of their own.".to_owned())));
        };
        variants.extend([PersonaVariant::Demographics, PersonaVariant::Empty]);
        Ok(Ok(Self { set, questions, variants, headline }))
    }
}

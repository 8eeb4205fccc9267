//! Kinds of work, and the lanes in which they compete.

use std::time::Duration;

/// Kind of work that a permit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Checking or previewing a design, or comparing a survey with profiles.
    Design,
    /// Reading another program's survey.
    SurveyImport,
    /// Decoding a picture.
    Picture,
    /// Searching or sorting a run's answers.
    AnswerSearch,
    /// Opening a stored sample of people's answers.
    Sample,
    /// Comparing twins with stored answers, held-out ones or each other.
    Comparison,
    /// Comparing or storing a file of people's answers.
    PeopleUpload,
    /// Storing a file of personas.
    PersonaImport,
    /// Building a workbook, a file for a statistics program or a bundle.
    Download,
}

/// Group of work that competes for the same places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Work that ends before an ordinary call's answer is due.
    Short,
    Comparisons,
    Files,
}

impl Work {
    pub fn lane(self) -> Lane {
        match self {
            Self::Design | Self::SurveyImport | Self::Picture | Self::AnswerSearch => Lane::Short,
            Self::Sample | Self::Comparison | Self::PeopleUpload => Lane::Comparisons,
            Self::PersonaImport | Self::Download => Lane::Files,
        }
    }

    /// Whether it holds a file, which takes memory or disk while the permit is waited for.
    pub fn is_upload(self) -> bool {
        matches!(self, Self::SurveyImport | Self::Picture | Self::PeopleUpload | Self::PersonaImport)
    }

    /// Upper limit of a user's admitted work: of all uploads together, or of other work in the lane.
    pub fn max_admitted(self) -> u32 {
        if self.is_upload() { MAX_UPLOADS_PER_USER } else { MAX_ADMITTED_PER_USER }
    }

    /// Time from its turn to its end.
    pub fn time_limit(self) -> Duration {
        match self.lane() {
            Lane::Short => Duration::from_secs(10),
            Lane::Comparisons => Duration::from_secs(120),
            Lane::Files => Duration::from_secs(1_800),
        }
    }
}

/// Upper limit of one user's uploads.
const MAX_UPLOADS_PER_USER: u32 = 2;
/// Upper limit of one user's other work in a lane, running and waiting.
const MAX_ADMITTED_PER_USER: u32 = 12;

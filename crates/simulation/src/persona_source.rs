//! The origin of a set of personas. A set's source is stored as readers see it; [`PersonaSource`] decides how data sets
//! are named, cited and licensed.

/// Suffix of the source of a set that was changed by hand.
const EDITED: &str = ", edited";
/// Source of a set that was started without a file.
pub const BY_HAND: &str = "Added by hand";
/// Prefix of the names of files that are no published data set.
const OWN_FILE: &str = "own file ";
const OWN_FILES: &str = "own files ";

/// A published data set whose people can be twins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Dataset {
    #[cfg_attr(feature = "clap", value(name = "Twin-2K-500"))]
    Twin2k500,
}

impl Dataset {
    pub const ALL: [Self; 1] = [Self::Twin2k500];

    pub fn name(self) -> &'static str {
        match self {
            Self::Twin2k500 => "Twin-2K-500",
        }
    }

    /// Finds a data set by its name; case is ignored. `None`: no data set has this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dataset| dataset.name().eq_ignore_ascii_case(name.trim()))
    }

    /// Name, authors, year and licence.
    pub fn in_short(self) -> &'static str {
        match self {
            Self::Twin2k500 => "Twin-2K-500 (Toubia et al. 2025), CC BY 4.0",
        }
    }

    pub fn citation(self) -> &'static str {
        match self {
            Self::Twin2k500 => {
                "Toubia, Gui, Peng, Merlau, Li, Chen: \"Twin-2K-500: A Data Set for Building Digital Twins of over \
                 2,000 People Based on Their Answers to over 500 Questions\", Marketing Science 44(6):1446-1455, 2025 \
                 (arXiv 2505.17479)"
            }
        }
    }

    pub fn authors(self) -> &'static str {
        match self {
            Self::Twin2k500 => "Toubia et al.",
        }
    }

    /// A sentence that names the licence and the place of publication.
    pub fn licence(self) -> &'static str {
        match self {
            Self::Twin2k500 => {
                "Twin-2K-500 is published at Hugging Face (LLM-Digital-Twin/Twin-2K-500) under CC BY 4.0"
            }
        }
    }

    pub fn page(self) -> &'static str {
        match self {
            Self::Twin2k500 => "https://huggingface.co/datasets/LLM-Digital-Twin/Twin-2K-500",
        }
    }

    /// The licence's SPDX id, title and address.
    pub fn licence_terms(self) -> LicenceTerms {
        match self {
            Self::Twin2k500 => LicenceTerms {
                id: "CC-BY-4.0",
                title: "Creative Commons Attribution 4.0 International",
                page: "https://creativecommons.org/licenses/by/4.0/",
            },
        }
    }

    /// The source of a set that was imported from one of its parts, with the names of the files.
    pub fn source(self, part: &str, files: &[&str]) -> String {
        format!("{} {part} ({})", self.name(), listed(files))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct LicenceTerms {
    pub id: &'static str,
    pub title: &'static str,
    pub page: &'static str,
}

/// Kind of a set's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PersonaSource {
    /// People of a published data set, whose citation and licence apply.
    Dataset(Dataset),
    /// Invented profiles.
    Synthetic,
    /// Texts that users of this program wrote in it.
    ByHand,
    /// A user's own file; its people and licence are unknown.
    OwnFile,
}

impl PersonaSource {
    /// Classifies the stored `source` of a set.
    pub fn classify(source: &str, synthetic: bool) -> Self {
        let dataset = || Dataset::ALL.into_iter().find(|dataset| source.starts_with(dataset.name()));
        match () {
            () if synthetic => Self::Synthetic,
            () if source.strip_suffix(EDITED).unwrap_or(source) == BY_HAND => Self::ByHand,
            () => dataset().map_or(Self::OwnFile, Self::Dataset),
        }
    }

    pub fn dataset(self) -> Option<Dataset> {
        match self {
            Self::Dataset(dataset) => Some(dataset),
            _ => None,
        }
    }
}

/// The source of a set that was imported from a user's own files.
pub fn own_files(files: &[&str]) -> String {
    let kind = if files.len() == 1 { OWN_FILE } else { OWN_FILES };
    format!("{kind}{}", listed(files))
}

/// Whether the source names a user's own file.
pub fn names_own_file(source: &str) -> bool {
    source.starts_with(OWN_FILE) || source.starts_with(OWN_FILES)
}

/// The source of a set after a change by hand.
pub fn edited(source: String) -> String {
    if source.ends_with(EDITED) { source } else { source + EDITED }
}

fn listed(files: &[&str]) -> String {
    match files {
        [first, _, _, _, ..] => format!("{first} and {} more files", files.len() - 1),
        few => few.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_source_that_an_import_gave_the_name_is_a_data_set() {
        let dataset = PersonaSource::Dataset(Dataset::Twin2k500);
        for (source, synthetic, kind) in [
            (Dataset::Twin2k500.source("full_persona", &["t.csv"]), false, dataset),
            (edited(Dataset::Twin2k500.source("wave_split", &["a", "b"])), false, dataset),
            (own_files(&["Twin-2K-500.csv"]), false, PersonaSource::OwnFile),
            (own_files(&["Added by hand"]), false, PersonaSource::OwnFile),
            ("panel.csv".to_owned(), false, PersonaSource::OwnFile),
            ("Added by hand.csv".to_owned(), false, PersonaSource::OwnFile),
            (BY_HAND.to_owned(), false, PersonaSource::ByHand),
            (edited(BY_HAND.to_owned()), false, PersonaSource::ByHand),
            ("synthetic, seed 1".to_owned(), true, PersonaSource::Synthetic),
        ] {
            assert_eq!(PersonaSource::classify(&source, synthetic), kind, "{source}");
        }
    }

    #[test]
    fn files_are_listed_by_name_up_to_three() {
        assert_eq!(own_files(&["a.csv"]), "own file a.csv");
        assert_eq!(own_files(&["a", "b", "c"]), "own files a, b, c");
        assert_eq!(own_files(&["a", "b", "c", "d"]), "own files a and 3 more files");
        assert_eq!(Dataset::Twin2k500.source("wave_split", &["a", "b"]), "Twin-2K-500 wave_split (a, b)");
        assert_eq!(edited("own file a.csv".to_owned()), "own file a.csv, edited");
        assert_eq!(edited("own file a.csv, edited".to_owned()), "own file a.csv, edited");
    }
}

//! A request for a bundle.

/// The run or study of a bundle, by row id.
#[derive(Clone, Copy, Debug)]
pub enum Bundled {
    Run(i64),
    Study(i64),
}

/// A request for a bundle.
#[derive(Clone, Copy, Debug)]
pub struct BundleRequest {
    pub of: Bundled,
    pub parts: BundleParts,
}

/// Optional parts of a bundle.
#[derive(Clone, Copy, Debug, Default)]
pub struct BundleParts {
    /// The exact prompts, with the texts of the twins in them.
    pub with_prompts: bool,
    /// The rows of people's answers that are kept for the survey. Only its author passes them on.
    pub with_people: bool,
}

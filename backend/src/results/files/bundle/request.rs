//! What is asked of a bundle.

/// What a bundle is of, by its row id.
#[derive(Clone, Copy, Debug)]
pub enum Bundled {
    Run(i64),
    Study(i64),
}

/// What a bundle is asked to hold.
#[derive(Clone, Copy, Debug)]
pub struct BundleRequest {
    pub of: Bundled,
    pub parts: BundleParts,
}

/// What a bundle has besides.
#[derive(Clone, Copy, Debug, Default)]
pub struct BundleParts {
    /// The exact prompts, with the texts of the twins in them.
    pub with_prompts: bool,
    /// The rows of people's answers that are kept for the survey. Only its author passes them on.
    pub with_people: bool,
}

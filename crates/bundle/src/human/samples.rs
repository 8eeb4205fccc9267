//! `human/samples.json`: the samples of people.

use std::collections::BTreeMap;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use simulation::error::Result;

use crate::io::read_json;
use crate::paths::{ROWS, SAMPLES};

/// Columns of a table: name, type of Data Package, and what it holds.
pub type TableColumns = &'static [(&'static str, &'static str, &'static str)];

/// A sample of people as `human/samples.json` names it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SampleRecord {
    /// Number of the sample from 1, in the order of uploads.
    pub sample: usize,
    pub name: String,
    pub people: i32,
    pub created_at: DateTime<Utc>,
    /// The file's column of the arm.
    pub arm: Option<String>,
    /// How people are weighted; `None`: they count the same.
    pub weights: Option<String>,
    /// Shares of levels by attribute, to which people and, where they have all of these attributes, twins are weighted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub margins: BTreeMap<String, BTreeMap<String, f64>>,
    /// The attribute that is the twins' weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin_weight: Option<String>,
    /// Cells of fewer than 5 people are left out: the survey is public.
    pub suppressed: bool,
    /// Attributes that rows have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<String>,
    /// Why there are no counts of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
    /// Why twins are not compared with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_compared: Option<String>,
}

/// The people of an opened bundle.
pub struct PeopleRecords {
    pub samples: Vec<SampleRecord>,
    pub have_rows: bool,
}

impl PeopleRecords {
    pub fn read(folder: &Path) -> Result<Self> {
        Ok(Self { samples: samples(folder)?, have_rows: folder.join(ROWS).is_file() })
    }
}

/// The samples of an opened bundle.
pub fn samples(folder: &Path) -> Result<Vec<SampleRecord>> {
    if folder.join(SAMPLES).is_file() { read_json(folder, SAMPLES) } else { Ok(Vec::new()) }
}

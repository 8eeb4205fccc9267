//! Standard errors of least squares for rows that belong together.

use std::collections::BTreeMap;

use crate::linear::{dot, eigen, gram, inverse, product, times};

/// Share of a cluster's information on a coefficient above which the cluster alone determines it.
const ALONE: f64 = 1.0 - 1e-10;

/// A coefficient with its cluster-robust error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterRobust {
    pub coefficient: f64,
    pub squared_error: f64,
    /// Satterthwaite's degrees of freedom.
    pub df: f64,
    pub clusters: usize,
}

/// Sums over the rows of one cluster.
#[derive(Default)]
struct Cluster {
    /// `XᵀX` and `Xᵀe`.
    gram: Vec<Vec<f64>>,
    scores: Vec<f64>,
}

/// Fits `y` on the rows `x` and returns the coefficient at `place` with the errors CR2 of Bell and McCaffrey (2002), as in
/// Pustejovsky and Tipton (2018): each cluster's residuals are divided by the root of 1 less its leverage, so that the
/// error is unbiased if the errors of rows are equal. The working model of the degrees of freedom has independent rows.
/// With one row a cluster, the error is HC2. `None` for fewer than 3 clusters, or if the columns are linearly dependent.
pub fn cluster_robust(x: &[Vec<f64>], y: &[f64], clusters: &[&str], place: usize) -> Option<ClusterRobust> {
    let columns = x.first()?.len();
    if x.len() != y.len() || x.len() != clusters.len() || x.len() <= columns || place >= columns {
        return None;
    }
    let bread = inverse(&gram(x))?;
    let moments: Vec<f64> = (0..columns).map(|column| x.iter().zip(y).map(|(row, y)| row[column] * y).sum()).collect();
    let coefficients = times(&bread, &moments);
    let mut of_clusters: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (row, cluster) in clusters.iter().enumerate() {
        of_clusters.entry(cluster).or_default().push(row);
    }
    if of_clusters.len() < 3 {
        return None;
    }
    let root = root_of(&bread);
    // The column of the contrast in the inverse.
    let contrast: Vec<f64> = bread.iter().map(|row| row[place]).collect();
    let (mut squared_error, mut trace, mut squares) = (0.0, 0.0, 0.0);
    let mut joint = vec![vec![0.0; columns]; columns];
    for rows in of_clusters.values() {
        let cluster = Cluster::sum(rows, x, y, &coefficients);
        let Adjusted { score, loading, length } = cluster.adjust(&root, &contrast);
        squared_error += dot(&contrast, &score).powi(2);
        // The residuals' covariances of two clusters are products of their loadings.
        let own = dot(&loading, &times(&bread, &loading));
        trace += length - own;
        squares += (length - own).powi(2) - own * own;
        for (sums, left) in joint.iter_mut().zip(&loading) {
            sums.iter_mut().zip(&loading).for_each(|(sum, right)| *sum += left * right);
        }
    }
    let crossed = product(&bread, &joint);
    let crossed = product(&crossed, &crossed);
    squares += (0..columns).map(|column| crossed[column][column]).sum::<f64>();
    Some(ClusterRobust {
        coefficient: coefficients[place],
        squared_error,
        df: trace * trace / squares,
        clusters: of_clusters.len(),
    })
}

/// The symmetric root of a positive definite matrix.
fn root_of(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let pairs = eigen(matrix);
    let n = matrix.len();
    let entry =
        |row: usize, column: usize| pairs.iter().map(|(value, v)| value.max(0.0).sqrt() * v[row] * v[column]).sum();
    (0..n).map(|row| (0..n).map(|column| entry(row, column)).collect()).collect()
}

/// A cluster whose residuals are adjusted by `A = (1 − H)^(−1/2)`.
struct Adjusted {
    /// `XᵀAe`.
    score: Vec<f64>,
    /// `XᵀAXc`, for the column `c` of the contrast.
    loading: Vec<f64>,
    /// `|AXc|²`.
    length: f64,
}

impl Cluster {
    fn sum(rows: &[usize], x: &[Vec<f64>], y: &[f64], coefficients: &[f64]) -> Self {
        let mut scores = vec![0.0; coefficients.len()];
        for row in rows {
            let residual = y[*row] - dot(&x[*row], coefficients);
            scores.iter_mut().zip(&x[*row]).for_each(|(sum, value)| *sum += value * residual);
        }
        Self { gram: gram(rows.iter().map(|row| &x[*row])), scores }
    }

    /// Adjusts the residuals. `H = XMXᵀ` has at most as many eigenvalues above 0 as there are columns, those of
    /// `M^½XᵀXM^½`, so the cost does not depend on the number of rows. `root` is `M^½`.
    fn adjust(&self, root: &[Vec<f64>], contrast: &[f64]) -> Adjusted {
        let leverage = product(&product(root, &self.gram), root);
        let mut score = self.scores.clone();
        let mut loading = times(&self.gram, contrast);
        let mut length = dot(contrast, &loading);
        for (value, vector) in eigen(&leverage).iter().filter(|(value, _)| *value > 1e-12) {
            // X times the eigenvector of H, and its product with the residuals.
            let direction = times(root, vector);
            let scale = value.sqrt();
            let along: Vec<f64> = times(&self.gram, &direction).iter().map(|entry| entry / scale).collect();
            let of_residuals = dot(&direction, &self.scores) / scale;
            let of_contrast = dot(&along, contrast);
            // A direction that the cluster alone determines has no residuals: the inverse is Moore and Penrose's.
            let rest = if *value < ALONE { 1.0 / (1.0 - value) } else { 0.0 };
            score.iter_mut().zip(&along).for_each(|(sum, entry)| *sum += (rest.sqrt() - 1.0) * of_residuals * entry);
            loading.iter_mut().zip(&along).for_each(|(sum, entry)| *sum += (rest.sqrt() - 1.0) * of_contrast * entry);
            length += (rest - 1.0) * of_contrast * of_contrast;
        }
        Adjusted { score, loading, length }
    }
}

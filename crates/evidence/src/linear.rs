//! Small symmetric systems of equations.

/// Maximum number of sweeps of Jacobi's rotations, which converge quadratically.
const MAX_SWEEPS: usize = 60;

/// Inverts a symmetric positive definite matrix by Gauss-Jordan elimination with pivots. `None` if it is singular.
pub(crate) fn inverse(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    let scale = matrix.iter().flatten().fold(0.0_f64, |most, value| most.max(value.abs()));
    let mut rows: Vec<Vec<f64>> = matrix
        .iter()
        .enumerate()
        .map(|(row, values)| values.iter().copied().chain((0..n).map(|column| f64::from(column == row))).collect())
        .collect();
    for column in 0..n {
        let pivot = (column..n).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        if rows[pivot][column].abs() <= scale * 1e-12 {
            return None;
        }
        rows.swap(column, pivot);
        let head = rows[column][column];
        rows[column].iter_mut().for_each(|value| *value /= head);
        let top = rows[column].clone();
        for row in (0..n).filter(|row| *row != column) {
            let factor = rows[row][column];
            rows[row].iter_mut().zip(&top).for_each(|(value, top)| *value -= factor * top);
        }
    }
    Some(rows.into_iter().map(|row| row[n..].to_vec()).collect())
}

/// Eigenvalues of a symmetric matrix, each with its unit vector, by Jacobi's rotations.
pub(crate) fn eigen(matrix: &[Vec<f64>]) -> Vec<(f64, Vec<f64>)> {
    let n = matrix.len();
    let mut rest = matrix.to_vec();
    let mut vectors: Vec<Vec<f64>> =
        (0..n).map(|row| (0..n).map(|column| f64::from(row == column)).collect()).collect();
    let scale = matrix.iter().flatten().fold(0.0_f64, |most, value| most.max(value.abs()));
    for _ in 0..MAX_SWEEPS {
        let off = (0..n).flat_map(|row| (row + 1..n).map(move |column| (row, column)));
        let mut is_diagonal = true;
        for (row, column) in off {
            if rest[row][column].abs() <= scale * 1e-15 {
                continue;
            }
            is_diagonal = false;
            let theta = (rest[column][column] - rest[row][row]) / (2.0 * rest[row][column]);
            let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let cosine = 1.0 / tangent.hypot(1.0);
            let turn = |values: &mut [Vec<f64>]| {
                for value in values.iter_mut() {
                    let (a, b) = (value[row], value[column]);
                    value[row] = cosine * (a - tangent * b);
                    value[column] = cosine * (b + tangent * a);
                }
            };
            turn(&mut rest);
            turn(&mut vectors);
            // The columns are turned; the rows of the symmetric matrix follow.
            let (above, below) = rest.split_at_mut(column);
            for (first, second) in above[row].iter_mut().zip(&mut below[0]) {
                let (a, b) = (*first, *second);
                *first = cosine * (a - tangent * b);
                *second = cosine * (b + tangent * a);
            }
        }
        if is_diagonal {
            break;
        }
    }
    (0..n).map(|place| (rest[place][place], vectors.iter().map(|row| row[place]).collect())).collect()
}

/// Multiplies a matrix by a vector.
pub(crate) fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

/// Multiplies two matrices.
pub(crate) fn product(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let columns = b.first().map_or(0, Vec::len);
    let entry = |row: &Vec<f64>, column: usize| row.iter().zip(b).map(|(value, other)| value * other[column]).sum();
    a.iter().map(|row| (0..columns).map(|column| entry(row, column)).collect()).collect()
}

/// `Σ x·xᵀ` of rows of equal length. Empty without rows.
pub(crate) fn gram<'r>(rows: impl IntoIterator<Item = &'r Vec<f64>>) -> Vec<Vec<f64>> {
    let mut sums: Vec<Vec<f64>> = Vec::new();
    for row in rows {
        sums.resize(row.len(), vec![0.0; row.len()]);
        for (sums, left) in sums.iter_mut().zip(row) {
            sums.iter_mut().zip(row).for_each(|(sum, right)| *sum += left * right);
        }
    }
    sums
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

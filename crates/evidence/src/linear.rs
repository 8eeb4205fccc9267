//! Small symmetric systems of equations.

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

/// Multiplies a matrix by a vector.
pub(crate) fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

//! Apportionment by largest remainders (Hamilton's method).

/// Splits `total` into whole numbers in proportion to the weights: each quotient is rounded down, and what is left goes
/// to the largest remainders, the first of equal ones. All are 0 if no weight is above 0.
pub fn apportion(weights: &[i64], total: i64) -> Vec<i64> {
    let weights: Vec<i128> = weights.iter().map(|weight| i128::from(*weight).max(0)).collect();
    let (sum, total) = (weights.iter().sum::<i128>(), i128::from(total.max(0)));
    if sum == 0 {
        return vec![0; weights.len()];
    }
    let mut shares: Vec<i64> = weights.iter().map(|weight| (weight * total / sum) as i64).collect();
    let left = total as i64 - shares.iter().sum::<i64>();
    let mut places: Vec<usize> = (0..weights.len()).collect();
    places.sort_by_key(|place| std::cmp::Reverse(weights[*place] * total % sum));
    for place in places.into_iter().take(left as usize) {
        shares[place] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::apportion;

    #[test]
    fn shares_are_in_proportion_and_the_largest_remainders_are_rounded_up() {
        assert_eq!(apportion(&[1040, 1018], 11), [6, 5]);
        assert_eq!(apportion(&[1, 1, 1], 100), [34, 33, 33]);
        assert_eq!(apportion(&[5, 0, 1], 2), [2, 0, 0]);
        assert_eq!(apportion(&[0, 0], 10), [0, 0]);
        assert_eq!(apportion(&[], 10), [0; 0]);
    }

    proptest! {
        #[test]
        fn shares_add_up_and_differ_from_their_quotients_by_less_than_one(
            weights in prop::collection::vec(0i64..1_000_000, 1..50), total in 0i64..100_000,
        ) {
            let sum: i64 = weights.iter().sum();
            prop_assume!(sum > 0);
            let shares = apportion(&weights, total);
            prop_assert_eq!(shares.iter().sum::<i64>(), total);
            for (share, weight) in shares.iter().zip(&weights) {
                prop_assert!((share * sum - weight * total).abs() < sum);
            }
        }
    }
}

//! Bootstrap confidence intervals: means of many resamples. The random numbers are the same in every run.

/// Number of resamples.
const SAMPLES: usize = 1000;

/// A mean with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub(super) struct Mean {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The mean of some values with its confidence interval; zero for none.
#[expect(clippy::cast_precision_loss, reason = "there are thousands of values, not more")]
pub(super) fn mean(values: &[f64]) -> Mean {
    if values.is_empty() {
        return Mean::default();
    }
    let mut draws = Draws(values.len() as u64);
    let mut means: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            (0..values.len()).map(|_| values[draws.below(values.len())]).sum::<f64>() / values.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let value = values.iter().sum::<f64>() / values.len() as f64;
    Mean { value, low: means[SAMPLES / 40], high: means[SAMPLES - 1 - SAMPLES / 40] }
}

/// The quantile of sorted values, by the nearest-rank method.
pub(super) fn percentile<T: Copy + Default + Ord>(values: &[T], percent: usize) -> T {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let place = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(place - 1).copied().unwrap_or_default()
}

/// A pseudo-random number generator (`SplitMix64`); the same seed yields the same numbers on every machine.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((u128::from(mixed) * end as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_holds_the_mean_and_is_the_same_again() {
        let values: Vec<f64> = (0..200).map(|it| f64::from(it % 7) / 6.0).collect();
        let found = mean(&values);
        assert!(found.low < found.value && found.value < found.high, "{found:?}");
        assert!(found.high - found.low < 0.12, "{found:?}");
        assert_eq!(found, mean(&values));
    }

    #[test]
    fn equal_values_leave_no_doubt() {
        assert_eq!(mean(&[0.5; 20]), Mean { value: 0.5, low: 0.5, high: 0.5 });
        assert_eq!(mean(&[]), Mean::default());
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values: Vec<u32> = (1..=100).rev().collect();
        assert_eq!([50, 95, 100].map(|percent| percentile(&values, percent)), [50, 95, 100]);
        assert_eq!(percentile(&[7], 95), 7);
        assert_eq!(percentile::<u32>(&[], 50), 0);
    }
}

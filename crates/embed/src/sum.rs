//! Sums and vectors: what is kept of a text, and what is compared.
//!
//! Everything is whole numbers, or sums, products, quotients and roots of doubles in a fixed order. Those are exact or
//! rounded alike on every machine, so the bytes are too.

use crate::kernel::Kernel;

/// The sum of a text's tokens, before it is brought to unit length: small integers and one scale for all of them.
///
/// Its length says how much the text has to say, which is why fields can be weighed against each other later.
#[derive(Clone, Debug, PartialEq)]
pub struct Sum {
    scale: f32,
    values: Box<[i8]>,
}

impl Sum {
    /// The sum that integers stand for.
    pub(crate) fn of_integers(total: &[i32]) -> Self {
        let peak = total.iter().map(|value| value.unsigned_abs()).max().unwrap_or(0);
        if peak == 0 {
            return Self { scale: 0.0, values: vec![0; total.len()].into() };
        }
        let mut values = vec![0; total.len()];
        Kernel::detect().to_bytes(total, peak, &mut values);
        Self { scale: to_float(peak) / 127.0, values: values.into() }
    }

    #[cfg(test)]
    pub(crate) fn from_parts(peak: u32, values: Vec<i8>) -> Self {
        Self { scale: to_float(peak) / 127.0, values: values.into() }
    }

    /// The sum that floating numbers stand for; how providers give their vectors. Values that are no numbers are nought.
    pub fn of_floats(values: &[f32]) -> Self {
        let peak = values.iter().map(|value| value.abs()).filter(|v| v.is_finite()).fold(0.0, f32::max);
        if peak == 0.0 {
            return Self { scale: 0.0, values: vec![0; values.len()].into() };
        }
        let values = values.iter().map(|value| (value / peak * 127.0).round() as i8);
        Self { scale: peak / 127.0, values: values.collect() }
    }

    /// How many values it has.
    pub fn dimension(&self) -> usize {
        self.values.len()
    }

    /// By what each of [`values`](Self::values) is to be multiplied.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// The values, in units of [`scale`](Self::scale).
    pub fn values(&self) -> &[i8] {
        &self.values
    }

    /// The form in which it is stored: the scale, little-endian, then the values.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.scale.to_le_bytes().to_vec();
        bytes.extend(self.values.iter().map(|value| value.cast_unsigned()));
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; `None` if it cannot be that.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (scale, values) = bytes.split_first_chunk()?;
        let scale = f32::from_le_bytes(*scale);
        let values = values.iter().map(|byte| byte.cast_signed()).collect();
        (scale.is_finite() && scale >= 0.0).then_some(Self { scale, values })
    }
}

#[expect(clippy::cast_precision_loss, reason = "rounded to the nearest, on every machine alike")]
fn to_float(peak: u32) -> f32 {
    peak as f32
}

/// A vector of unit length in small integers. The product of two of them is their cosine, times a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    values: Box<[i8]>,
}

impl Vector {
    /// The values.
    pub fn values(&self) -> &[i8] {
        &self.values
    }

    /// A vector that was stored as its values.
    pub fn from_values(values: &[i8]) -> Self {
        Self { values: values.into() }
    }
}

/// The length of a unit vector in the integers of [`Vector`]: a value is about 25 in any dimension, so that five times as
/// much still fits a byte.
#[expect(clippy::cast_precision_loss, reason = "dimensions are a few thousand at most")]
pub(crate) fn unit_length(dimension: usize) -> f64 {
    25.0 * (dimension as f64).sqrt()
}

/// The weighted sum of sums, brought to unit length. All must have the same dimension; of nothing at all it is nought.
pub fn combine(parts: &[(&Sum, f32)]) -> Vector {
    let kernel = Kernel::detect();
    let dimension = parts.first().map_or(0, |(sum, _)| sum.dimension());
    let mut total = vec![0.0_f64; dimension];
    for (sum, weight) in parts {
        let factor = f64::from(*weight) * f64::from(sum.scale);
        kernel.add_scaled(&mut total, &sum.values, factor);
    }
    let square = total.iter().fold(0.0, |square, value| square + value * value);
    if square == 0.0 || !square.is_finite() {
        return Vector { values: vec![0; dimension].into() };
    }
    let mut values = vec![0; dimension];
    kernel.rounded(&total, unit_length(dimension) / square.sqrt(), &mut values);
    Vector { values: values.into() }
}

#[cfg(test)]
mod tests {
    use super::{Sum, combine};

    #[test]
    fn a_stored_sum_comes_back() {
        let sum = Sum::of_integers(&[5, -1000, 0, 999_999]);
        assert_eq!(Sum::from_bytes(&sum.to_bytes()), Some(sum));
        assert_eq!(Sum::from_bytes(&[1, 2]), None);
        assert_eq!(Sum::from_bytes(&f32::NAN.to_le_bytes()), None);
    }

    #[test]
    fn the_greatest_value_fills_the_byte() {
        assert_eq!(Sum::of_integers(&[i32::MAX, -i32::MAX, 0]).values(), [127, -127, 0]);
        assert_eq!(Sum::of_floats(&[0.5, -0.25, f32::NAN]).values(), [127, -64, 0]);
    }

    #[test]
    fn values_are_quotients_of_whole_numbers() {
        let mut state = 1_u32;
        for _ in 0..2_000 {
            let total: Vec<i32> = (0..64)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> (state % 24)).cast_signed()
                })
                .collect();
            let peak = total.iter().map(|value| i64::from(value.unsigned_abs())).max().expect("there are 64");
            let whole =
                |&value: &i32| (i64::from(value).abs() * 127 + peak / 2) / peak * i64::from(value.signum());
            let wanted: Vec<i64> = total.iter().map(whole).collect();
            let found: Vec<i64> =
                Sum::of_integers(&total).values().iter().map(|&value| value.into()).collect();
            assert_eq!(found, wanted);
        }
    }

    #[test]
    fn a_greater_weight_turns_the_vector_towards_its_field() {
        let [x, y] = [Sum::of_floats(&[1.0, 0.0]), Sum::of_floats(&[0.0, 1.0])];
        assert_eq!(combine(&[(&x, 1.0), (&y, 1.0)]).values(), [25, 25]);
        assert_eq!(combine(&[(&x, 3.0), (&y, 4.0)]).values(), [21, 28]);
    }

    #[test]
    fn nothing_has_no_direction() {
        let nothing = Sum::of_integers(&[0; 4]);
        assert_eq!(combine(&[(&nothing, 1.0)]).values(), [0; 4]);
        assert!(combine(&[]).values().is_empty());
    }
}

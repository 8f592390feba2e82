//! Embeddings of texts before normalisation, and the unit vectors that are compared.
//!
//! Uses only integers, and sums, products, quotients and roots of doubles in a fixed order. IEEE 754 rounds those the same
//! way on every machine, so the bytes are the same everywhere.

use crate::simd_kernel::Kernel;

/// The embedding of a text before normalisation: the sum of its tokens' rows as int8 values with one common scale.
///
/// Its length reflects how much content the text has, so that fields can be weighted against each other later.
#[derive(Clone, Debug, PartialEq)]
pub struct TextEmbedding {
    scale: f32,
    values: Box<[i8]>,
}

impl TextEmbedding {
    /// Quantises integers.
    pub(crate) fn from_integers(total: &[i32]) -> Self {
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

    /// Quantises floats, as providers return them. Values that are not numbers become zero.
    pub fn from_floats(values: &[f32]) -> Self {
        let peak = values.iter().map(|value| value.abs()).filter(|v| v.is_finite()).fold(0.0, f32::max);
        if peak == 0.0 {
            return Self { scale: 0.0, values: vec![0; values.len()].into() };
        }
        let values = values.iter().map(|value| (value / peak * 127.0).round() as i8);
        Self { scale: peak / 127.0, values: values.collect() }
    }

    /// The number of values.
    pub fn dimension(&self) -> usize {
        self.values.len()
    }

    /// The factor of all [`values`](Self::values).
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// The values, in units of [`scale`](Self::scale).
    pub fn values(&self) -> &[i8] {
        &self.values
    }

    /// Serialises: the scale, little-endian, then the values.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.scale.to_le_bytes().to_vec();
        bytes.extend(self.values.iter().map(|value| value.cast_unsigned()));
        bytes
    }

    /// Parses the output of [`to_bytes`](Self::to_bytes). `None` if it is not valid.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (scale, values) = bytes.split_first_chunk()?;
        let scale = f32::from_le_bytes(*scale);
        let values = values.iter().map(|byte| byte.cast_signed()).collect();
        (scale.is_finite() && scale >= 0.0).then_some(Self { scale, values })
    }
}

#[expect(clippy::cast_precision_loss, reason = "rounds to the nearest, on every machine")]
fn to_float(peak: u32) -> f32 {
    peak as f32
}

/// A unit vector as int8 values. The dot product of two is their cosine similarity times a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    values: Box<[i8]>,
}

impl Vector {
    /// The values.
    pub fn values(&self) -> &[i8] {
        &self.values
    }

    /// A vector with these values.
    pub fn from_values(values: &[i8]) -> Self {
        Self { values: values.into() }
    }
}

/// The Euclidean length of the int8 values of a [`Vector`]: the standard deviation of a value is 25 in any dimension, so
/// that five times as much still fits in a byte.
#[expect(clippy::cast_precision_loss, reason = "dimensions are a few thousand at most")]
pub(crate) fn unit_length(dimension: usize) -> f64 {
    25.0 * (dimension as f64).sqrt()
}

/// The normalised weighted sum of embeddings, which must have the same dimension. Zero if there are none.
pub fn combine(parts: &[(&TextEmbedding, f32)]) -> Vector {
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
    kernel.scale_and_round(&total, unit_length(dimension) / square.sqrt(), &mut values);
    Vector { values: values.into() }
}

#[cfg(test)]
mod tests {
    use super::{TextEmbedding, combine};

    #[test]
    fn serialised_embedding_round_trips() {
        let sum = TextEmbedding::from_integers(&[5, -1000, 0, 999_999]);
        assert_eq!(TextEmbedding::from_bytes(&sum.to_bytes()), Some(sum));
        assert_eq!(TextEmbedding::from_bytes(&[1, 2]), None);
        assert_eq!(TextEmbedding::from_bytes(&f32::NAN.to_le_bytes()), None);
    }

    #[test]
    fn largest_magnitude_becomes_127() {
        assert_eq!(TextEmbedding::from_integers(&[i32::MAX, -i32::MAX, 0]).values(), [127, -127, 0]);
        assert_eq!(TextEmbedding::from_floats(&[0.5, -0.25, f32::NAN]).values(), [127, -64, 0]);
    }

    #[test]
    fn quantisation_is_exact_integer_division() {
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
                TextEmbedding::from_integers(&total).values().iter().map(|&value| value.into()).collect();
            assert_eq!(found, wanted);
        }
    }

    #[test]
    fn weights_rotate_the_vector_towards_their_field() {
        let [x, y] = [TextEmbedding::from_floats(&[1.0, 0.0]), TextEmbedding::from_floats(&[0.0, 1.0])];
        assert_eq!(combine(&[(&x, 1.0), (&y, 1.0)]).values(), [25, 25]);
        assert_eq!(combine(&[(&x, 3.0), (&y, 4.0)]).values(), [21, 28]);
    }

    #[test]
    fn empty_embedding_is_the_zero_vector() {
        let nothing = TextEmbedding::from_integers(&[0; 4]);
        assert_eq!(combine(&[(&nothing, 1.0)]).values(), [0; 4]);
        assert!(combine(&[]).values().is_empty());
    }
}

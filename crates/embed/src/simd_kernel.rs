//! SIMD kernels: the hot loops, compiled for several instruction sets and dispatched at run time.
//!
//! Each loop is plain Rust that the compiler vectorises; the versions differ only in the target features they are compiled
//! with. All arithmetic is on integers that cannot overflow or on doubles in a fixed order, so every version computes the
//! same result.

#![expect(
    unsafe_code,
    reason = "calls functions compiled for target features that were detected at run time"
)]

use std::sync::LazyLock;

/// Number of vectors whose sign bits are interleaved, so that one instruction processes all of them.
pub(crate) const LANES: usize = 8;
/// Number of bits per query value in the first pass.
pub(crate) const PLANES: usize = 4;
/// Rows are padded to a multiple of this many values.
pub(crate) const STRIDE: usize = 64;

/// 2^52. Adding it to a double rounds to an integer and leaves that integer in the low bits, which vectorises; checked
/// casts from doubles do not.
const ROUNDING: f64 = 4_503_599_627_370_496.0;

/// The instruction set of the loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// The target features of the build; includes NEON on 64-bit ARM.
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// Defines a function for all instruction sets, and a method that dispatches to one.
macro_rules! versions {
    ($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block) => {
        impl Kernel {
            $(#[$doc])*
            #[inline]
            pub(crate) fn $name(self, $($argument: $type),*) $(-> $result)? {
                #[inline(always)]
                fn body($($argument: $type),*) $(-> $result)? $body

                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx2,popcnt,bmi1,bmi2,lzcnt")]
                fn avx2($($argument: $type),*) $(-> $result)? { body($($argument),*) }

                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx2,popcnt,bmi1,bmi2,lzcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512vpopcntdq")]
                fn avx512($($argument: $type),*) $(-> $result)? { body($($argument),*) }

                match self {
                    Self::Portable => body($($argument),*),
                    // SAFETY: `detect` and `all` return a version only if the processor supports all its instructions.
                    #[cfg(target_arch = "x86_64")]
                    Self::Avx2 => unsafe { avx2($($argument),*) },
                    #[cfg(target_arch = "x86_64")]
                    Self::Avx512 => unsafe { avx512($($argument),*) },
                }
            }
        }
    };
}

versions! {
    /// Adds a row of signed bytes, multiplied by a weight, to `total`.
    add_row(total: &mut [i32], row: &[u8], weight: i16) {
        let weight = i32::from(weight);
        for (to, &value) in total.iter_mut().zip(row) {
            *to += i32::from(value.cast_signed()) * weight;
        }
    }
}

versions! {
    /// Quantises a sum to signed bytes: `peak`, its largest magnitude, becomes 127. `peak` must not be zero.
    to_bytes(total: &[i32], peak: u32, out: &mut [i8]) {
        let (whole, half) = (f64::from(peak), f64::from(peak / 2));
        for (to, &value) in out.iter_mut().zip(total) {
            // Integer division in doubles, which vectorises. It is exact: both operands are below 2^53, and a quotient
            // that is not an integer is further from the next integer than the rounding error.
            let size = (f64::from(value.unsigned_abs()) * 127.0 + half) / whole;
            let near = (size + ROUNDING) - ROUNDING;
            let size = (if near > size { near - 1.0 } else { near } + ROUNDING).to_bits() as i8;
            *to = if value < 0 { -size } else { size };
        }
    }
}

versions! {
    /// Adds signed bytes, multiplied by a factor, to `total`.
    add_scaled(total: &mut [f64], values: &[i8], factor: f64) {
        for (to, &value) in total.iter_mut().zip(values) {
            *to += f64::from(value) * factor;
        }
    }
}

versions! {
    /// Multiplies by a factor, rounds half away from zero and clamps to -127..=127.
    scale_and_round(total: &[f64], factor: f64, out: &mut [i8]) {
        for (to, &value) in out.iter_mut().zip(total) {
            let value = (value * factor).clamp(-127.0, 127.0);
            let size = value.abs();
            // Rounds half to even; the difference is exact and at most one half.
            let near = (size + ROUNDING) - ROUNDING;
            let size = (if size - near >= 0.5 { near + 1.0 } else { near } + ROUNDING).to_bits() as i8;
            *to = if value < 0.0 { -size } else { size };
        }
    }
}

versions! {
    /// The dot products of a query with consecutive rows.
    dot_products(query: &[i8], rows: &[i8], out: &mut [i32]) {
        for (row, to) in rows.chunks_exact(query.len()).zip(out) {
            let mut total = 0;
            for (ours, theirs) in query.as_chunks::<STRIDE>().0.iter().zip(row.as_chunks::<STRIDE>().0) {
                for at in 0..STRIDE {
                    total += i32::from(ours[at]) * i32::from(theirs[at]);
                }
            }
            *to = total;
        }
    }
}

versions! {
    /// The dot products of a query with consecutive int4 rows: `halves` are the two halves of the query, `sum` is the sum of
    /// its values.
    ///
    /// Adds 8 to every value, so that instructions which multiply signed by unsigned bytes apply, and subtracts `8 * sum`
    /// from the result.
    packed_dot_products(halves: (&[i8], &[i8]), sum: i32, rows: &[u8], out: &mut [i32]) {
        const WIDTH: usize = STRIDE / 2;
        let (first, second) = halves;
        for (row, to) in rows.chunks_exact(first.len()).zip(out) {
            let mut total = 0;
            let (whole, rest) = row.as_chunks::<WIDTH>();
            let (ours_low, rest_low) = first.as_chunks::<WIDTH>();
            let (ours_high, rest_high) = second.as_chunks::<WIDTH>();
            for ((theirs, ours_low), ours_high) in whole.iter().zip(ours_low).zip(ours_high) {
                for at in 0..WIDTH {
                    let byte = theirs[at] ^ 0x88;
                    total += i32::from(ours_low[at]) * i32::from(byte & 15);
                    total += i32::from(ours_high[at]) * i32::from(byte >> 4);
                }
            }
            for ((&byte, ours_low), ours_high) in rest.iter().zip(rest_low).zip(rest_high) {
                let byte = byte ^ 0x88;
                total += i32::from(*ours_low) * i32::from(byte & 15) + i32::from(*ours_high) * i32::from(byte >> 4);
            }
            *to = total - 8 * sum;
        }
    }
}

versions! {
    /// Estimates dot products from sign bits, [`LANES`] vectors at a time: the sum of the query values whose bit is set.
    ///
    /// The query is given as bit planes: bit `n` of every value in plane `n`, in two's complement of [`PLANES`] bits.
    /// Example: for the query values 7, -8, -1, 1 and a vector with the bits of the first two set, the estimate is -1.
    estimates(planes: &[[u64; PLANES]], blocks: &[[u64; LANES]], out: &mut [[i32; LANES]]) {
        for (block, to) in blocks.chunks_exact(planes.len()).zip(out) {
            let mut counts = [[0_u64; LANES]; PLANES];
            for (plane, bits) in planes.iter().zip(block) {
                for (count, wanted) in counts.iter_mut().zip(plane) {
                    for lane in 0..LANES {
                        count[lane] += u64::from((bits[lane] & wanted).count_ones());
                    }
                }
            }
            // No closures here: they would be compiled without the target features and not inlined.
            let [one, two, four, minus_eight] = &counts;
            for lane in 0..LANES {
                let sum = one[lane] + 2 * two[lane] + 4 * four[lane];
                to[lane] = sum as i32 - 8 * minus_eight[lane] as i32;
            }
        }
    }
}

impl Kernel {
    /// The best version for this processor.
    pub(crate) fn detect() -> Self {
        static BEST: LazyLock<Kernel> = LazyLock::new(|| Kernel::all().pop().unwrap_or(Kernel::Portable));
        *BEST
    }

    /// All versions that this processor supports, best last.
    pub(crate) fn all() -> Vec<Self> {
        let mut found = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx2") && has!("popcnt") && has!("bmi1") && has!("bmi2") && has!("lzcnt") {
                found.push(Self::Avx2);
                let wide = has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
                if wide && has!("avx512vnni") && has!("avx512vpopcntdq") {
                    found.push(Self::Avx512);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Kernel, LANES, PLANES, STRIDE};

    proptest! {
        #[test]
        fn all_versions_compute_the_same(
            bytes in prop::collection::vec(any::<i8>(), STRIDE * 8),
            words in prop::collection::vec(any::<[u64; LANES]>(), 12),
            planes in prop::collection::vec(any::<[u64; PLANES]>(), 4),
            weight in 0..=16_380_i16,
        ) {
            let run = |kernel: Kernel| {
                let (query, rows) = bytes.split_at(STRIDE * 2);
                let row: Vec<u8> = query.iter().map(|value| value.cast_unsigned()).collect();
                let (mut total, mut products, mut estimates) = ([7; STRIDE * 2], [0; 3], [[0; LANES]; 3]);
                let mut packed = [0; 1];
                kernel.packed_dot_products((&rows[..STRIDE * 2], &rows[STRIDE * 2..STRIDE * 4]), 7, &row, &mut packed);
                kernel.add_row(&mut total, &row, weight);
                kernel.dot_products(query, rows, &mut products);
                kernel.estimates(&planes, &words, &mut estimates);
                let (mut bytes, mut scaled, mut rounded) = ([0; STRIDE * 2], [0.0; STRIDE * 2], [0; STRIDE * 2]);
                let peak = total.iter().map(|value| value.unsigned_abs()).max().unwrap_or(0);
                kernel.to_bytes(&total, peak.max(1), &mut bytes);
                kernel.add_scaled(&mut scaled, &bytes, f64::from(weight) / 7000.0);
                kernel.scale_and_round(&scaled, 0.5, &mut rounded);
                for (value, rounded) in scaled.iter().zip(rounded) {
                    assert_eq!(rounded, (value * 0.5).round().clamp(-127.0, 127.0) as i8);
                }
                (total, products, packed, estimates, bytes, rounded)
            };
            let plain = run(Kernel::Portable);
            for kernel in Kernel::all() {
                prop_assert_eq!(run(kernel), plain, "{:?}", kernel);
            }
        }
    }

    #[test]
    fn estimate_is_the_sum_of_values_whose_bit_is_set() {
        // Bits 0 to 3 of the query are 7, -8, -1 and 1, lowest plane first.
        let planes = [[0b1101, 0b0101, 0b0101, 0b0110]];
        let mut out = [[0; LANES]];
        Kernel::detect().estimates(
            &planes,
            &[[0b0001, 0b0010, 0b0100, 0b1000, 0b1111, 0, 0b0011, 1 << 40]],
            &mut out,
        );
        assert_eq!(out[0], [7, -8, -1, 1, -1, 0, -1, 0]);
    }
}

//! Integers as JSON Schema defines them, which includes `8080.0` and `1e3`.

use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Number;

/// Reads a non-negative integer in any notation.
pub(super) fn read<'de, D: Deserializer<'de>, N: TryFrom<u64>>(deserializer: D) -> Result<N, D::Error> {
    let number = Number::deserialize(deserializer)?;
    integer(&number)
        .and_then(|integer| N::try_from(integer).ok())
        .ok_or_else(|| D::Error::custom("expected an integer in range"))
}

/// Reads an optional non-negative integer in any notation.
pub(super) fn read_optional<'de, D: Deserializer<'de>, N: TryFrom<u64>>(
    deserializer: D,
) -> Result<Option<N>, D::Error> {
    read(deserializer).map(Some)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be an integer in range")]
fn integer(number: &Number) -> Option<u64> {
    /// 2^53: a float represents every integer up to this exactly.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    number.as_u64().or_else(|| {
        let float = number.as_f64()?;
        (float.fract() == 0.0 && (0.0..=EXACT).contains(&float)).then_some(float as u64)
    })
}

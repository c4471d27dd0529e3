//! Whole numbers as JSON Schema means them: `8080.0` and `1e3` are some.

use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Number;

/// Reads a whole number of any notation.
pub(super) fn read<'de, D: Deserializer<'de>, N: TryFrom<u64>>(deserializer: D) -> Result<N, D::Error> {
    let number = Number::deserialize(deserializer)?;
    whole(&number).and_then(|whole| N::try_from(whole).ok()).ok_or_else(|| D::Error::custom("no whole number in range"))
}

/// Reads a whole number of any notation that may be absent.
pub(super) fn read_optional<'de, D: Deserializer<'de>, N: TryFrom<u64>>(
    deserializer: D,
) -> Result<Option<N>, D::Error> {
    read(deserializer).map(Some)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be whole and in range")]
fn whole(number: &Number) -> Option<u64> {
    /// 2^53: up to it, every whole number is a float.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    number.as_u64().or_else(|| {
        let float = number.as_f64()?;
        (float.fract() == 0.0 && (0.0..=EXACT).contains(&float)).then_some(float as u64)
    })
}

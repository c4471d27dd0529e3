//! Parses `$NAME` and `${NAME}` in values like Docker Compose.

use std::ops::Range;

/// The meaning of a `$`.
pub(super) enum Dollar {
    /// A literal `$`.
    Plain {
        /// The offset after the `$`, or after the second one of `$$`.
        end: usize,
    },
    /// A substitution.
    Substitution {
        /// The offset after the substitution.
        end: usize,
    },
}

/// Classifies the `$` at offset `place`.
///
/// # Errors
/// Returns the range of an invalid substitution that starts with `${`.
pub(super) fn at_dollar(text: &str, place: usize) -> Result<Dollar, Range<usize>> {
    let rest = text.get(place + 1..).unwrap_or_default();
    match rest.chars().next() {
        Some('$') => Ok(Dollar::Plain { end: place + 2 }),
        Some('{') => braces(text, place).map(|end| Dollar::Substitution { end }),
        Some('_' | 'a'..='z' | 'A'..='Z') => Ok(Dollar::Substitution { end: place + 1 + name(rest) }),
        _ => Ok(Dollar::Plain { end: place + 1 }),
    }
}

/// The length of the name at the start of `text`.
fn name(text: &str) -> usize {
    let is_part = |(index, byte): &(usize, u8)| {
        byte.is_ascii_alphabetic() || *byte == b'_' || (*index > 0 && byte.is_ascii_digit())
    };
    text.bytes().enumerate().take_while(is_part).count()
}

/// The offset after the substitution that starts with `${` at `place`: a name, then `}` or an operator and an operand,
/// which may contain further substitutions.
fn braces(text: &str, place: usize) -> Result<usize, Range<usize>> {
    let (mut at, mut depth) = (place, 0_usize);
    loop {
        let (start, has_operand) = head(text, at)?;
        at = start;
        depth += usize::from(has_operand);
        while depth > 0 {
            let rest = text.get(at..).unwrap_or_default();
            match rest.chars().next() {
                None | Some('\n') => return Err(place..at),
                Some('}') => (at, depth) = (at + 1, depth - 1),
                Some('$') if rest.starts_with("${") => break,
                Some('$') if rest.starts_with("$$") => at += 2,
                Some(character) => at += character.len_utf8(),
            }
        }
        if depth == 0 {
            return Ok(at);
        }
    }
}

/// The offset after `${NAME}`, or after the operator as in `${NAME:-`, and whether there is an operator.
fn head(text: &str, place: usize) -> Result<(usize, bool), Range<usize>> {
    let inside = text.get(place + 2..).unwrap_or_default();
    let name = name(inside);
    let after = inside.get(name..).unwrap_or_default();
    let operand = after.strip_prefix(':').unwrap_or(after).strip_prefix(['-', '?', '+']);
    match (operand, after.strip_prefix('}')) {
        (Some(operand), _) if name > 0 => Ok((text.len() - operand.len(), true)),
        (_, Some(rest)) if name > 0 => Ok((text.len() - rest.len(), false)),
        _ => Err(whole(text, place)),
    }
}

/// The range from a `${` to its `}`, or to the end of the line.
fn whole(text: &str, place: usize) -> Range<usize> {
    let rest = text.get(place..).unwrap_or_default();
    let line = rest.lines().next().unwrap_or_default();
    place..place + line.find('}').map_or(line.len(), |brace| brace + 1)
}

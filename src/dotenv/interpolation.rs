//! `$NAME` and `${NAME}` in a value, as Docker Compose puts other values in their place.

use std::ops::Range;

/// What a `$` is.
pub(super) enum Dollar {
    /// Itself, as far as `end`.
    Plain {
        /// Behind it, and behind a second `$` that keeps it.
        end: usize,
    },
    /// The beginning of a substitution.
    Substitution {
        /// Behind it.
        end: usize,
    },
}

/// What the `$` at a place of a text is.
///
/// # Errors
/// Where a `${` begins no substitution.
pub(super) fn at_dollar(text: &str, place: usize) -> Result<Dollar, Range<usize>> {
    let rest = text.get(place + 1..).unwrap_or_default();
    match rest.chars().next() {
        Some('$') => Ok(Dollar::Plain { end: place + 2 }),
        Some('{') => braces(text, place).map(|end| Dollar::Substitution { end }),
        Some('_' | 'a'..='z' | 'A'..='Z') => Ok(Dollar::Substitution { end: place + 1 + name(rest) }),
        _ => Ok(Dollar::Plain { end: place + 1 }),
    }
}

/// The length of the name that a text begins with.
fn name(text: &str) -> usize {
    let is_part = |(index, byte): &(usize, u8)| {
        byte.is_ascii_alphabetic() || *byte == b'_' || (*index > 0 && byte.is_ascii_digit())
    };
    text.bytes().enumerate().take_while(is_part).count()
}

/// Behind the substitution whose `${` stands at a place: a name, then `}` or an operator with a text that may hold others.
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

/// Behind the name in `${NAME}` or the operator in `${NAME:-`, and whether it is an operator.
fn head(text: &str, place: usize) -> Result<(usize, bool), Range<usize>> {
    let inside = text.get(place + 2..).unwrap_or_default();
    let name = name(inside);
    let behind = inside.get(name..).unwrap_or_default();
    let operand = behind.strip_prefix(':').unwrap_or(behind).strip_prefix(['-', '?', '+']);
    match (operand, behind.strip_prefix('}')) {
        (Some(operand), _) if name > 0 => Ok((text.len() - operand.len(), true)),
        (_, Some(rest)) if name > 0 => Ok((text.len() - rest.len(), false)),
        _ => Err(whole(text, place)),
    }
}

/// From a `${` to its `}`, or to the end of the line.
fn whole(text: &str, place: usize) -> Range<usize> {
    let rest = text.get(place..).unwrap_or_default();
    let line = rest.lines().next().unwrap_or_default();
    place..place + line.find('}').map_or(line.len(), |brace| brace + 1)
}

//! JSON pointers (RFC 6901): `/spec/tools/0/id`. In a token `~1` stands for `/` and `~0` for `~`.

/// The unescaped keys and indices of a pointer. The empty pointer has none.
pub fn tokens(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"))
}

/// Escapes a key for use in a pointer.
pub fn token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaping_round_trips() {
        let keys = ["a/b", "~1", "~", "", "0"];
        let pointer = format!("/{}", keys.map(token).join("/"));
        assert_eq!(pointer, "/a~1b/~01/~0//0");
        assert_eq!(tokens(&pointer).collect::<Vec<_>>(), keys);
        assert_eq!(tokens("").count(), 0);
    }
}

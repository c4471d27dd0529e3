use serde_json::json;

use super::{Editor, Place, apply, verify};
use crate::diagnostics::{Edit, FileId};
use crate::document::parse;

/// Applies and verifies an edit. `None` if the editor rejects it or verification fails.
fn edited(text: &str, make: impl FnOnce(Editor<'_>) -> Option<Vec<Edit>>) -> Option<String> {
    let document = parse(FileId::default(), text).document.unwrap();
    let edits = make(document.editor()?)?;
    let result = apply(text, &edits).unwrap();
    let after = parse(FileId::default(), result.as_str());
    println!("{result}");
    let verdict = verify(&document, &edits.iter().collect::<Vec<_>>(), &after);
    verdict.is_ok().then_some(result)
}

#[track_caller]
fn becomes(before: &str, after: &str, make: impl FnOnce(Editor<'_>) -> Option<Vec<Edit>>) {
    assert_eq!(edited(before, make).as_deref(), Some(after));
}

#[track_caller]
fn is_rejected(before: &str, make: impl FnOnce(Editor<'_>) -> Option<Vec<Edit>>) {
    assert_eq!(edited(before, make), None);
}

#[test]
fn keeps_quotes_of_scalars_and_keys() {
    becomes("a: 'x' # c\n", "a: 'it''s' # c\n", |editor| editor.replace("/a", "it's"));
    becomes("\"a\": \"x\"\r\n", "\"a\": \"no\"\r\n", |editor| editor.replace("/a", "no"));
    becomes("a: x", "a: \"1.0\"", |editor| editor.replace("/a", "1.0"));
    becomes("\"a\": 1\n", "\"b\": 1\n", |editor| editor.rename("/a", "b"));
    becomes("{'a': 1}", "{'b': 1}", |editor| editor.rename("/a", "b"));
    is_rejected("a: 1\nb: 2\n", |editor| editor.rename("/a", "b"));
    is_rejected("a: |\n  x\n", |editor| editor.replace("/a", "y"));
}

#[test]
fn removes_entries_with_their_comments() {
    let text = "a: 1\n\n# of b\n# too\nb:\n  c: 2 # end\n  # below\n\n# of d\nd: 3\n";
    becomes(text, "a: 1\n\n# of d\nd: 3\n", |editor| editor.remove("/b"));
    becomes("x:\n  - b: 1\n    c: 2\n", "x:\n  - c: 2\n", |editor| editor.remove("/x/0/b"));
    becomes("{a: 1, b: {c: 2}, d: 3}", "{a: 1, d: 3}", |editor| editor.remove("/b"));
    becomes("{a: 1, b: 2}", "{a: 1}", |editor| editor.remove("/b"));
    becomes("a: |+\n  x\n\nb: 1\n", "b: 1\n", |editor| editor.remove("/a"));
    is_rejected("a:\n  b: 1\n", |editor| editor.remove("/a/b"));
    is_rejected("{a: 1, # of b\n b: 2}", |editor| editor.remove("/b"));
}

#[test]
fn inserts_entries_in_the_style_of_their_mapping() {
    becomes("a:\n    b: 1\nc: 2\n", "a:\n    b: 1\n    d: true\nc: 2\n", |editor| {
        editor.insert("/a", "d", &json!(true), Place::Last)
    });
    becomes("a:\r\n  b: 1", "a:\r\n  b: 1\r\n  d:\r\n    - x", |editor| {
        editor.insert("/a", "d", &json!(["x"]), Place::Last)
    });
    becomes("- name: x # n\n  tags: []\n", "- id: x\n  name: x # n\n  tags: []\n", |editor| {
        editor.insert("/0", "id", &json!("x"), Place::First)
    });
    becomes("a: {}\n", "a: {b: {c: true}}\n", |editor| editor.insert("/a", "b", &json!({"c": true}), Place::Last));
    becomes("{\n  \"a\": 1\n}", "{\n  \"a\": 1,\n  \"b\": \"x\"\n}", |editor| {
        editor.insert("", "b", &json!("x"), Place::Last)
    });
    becomes("{\"a\": 1}", "{\"b\": [\"x\"], \"a\": 1}", |editor| editor.insert("", "b", &json!(["x"]), Place::First));
    becomes("a:\n  b: 1\n  # end\nc: 2\n", "a:\n  b: 1\n  # end\nd:\n  e: 1\nc: 2\n", |editor| {
        editor.insert("", "d", &json!({"e": 1}), Place::After("a"))
    });
}

#[test]
fn nests_entries_in_place() {
    becomes(
        "s:\n  # own\n  x:\n    y: |\n      t\n\n      u\n  z: 1\n",
        "s:\n  # own\n  d:\n    x:\n      y: |\n        t\n\n        u\n  z: 1\n",
        |editor| editor.nest("/s/x", &["d", "x"]),
    );
    becomes("ai:\n  enabled: true # on\n", "ai:\n  o:\n    c:\n      enabled: true # on\n", |editor| {
        editor.nest("/ai/enabled", &["o", "c", "enabled"])
    });
    becomes("{\"x\": {\"y\": 1}}", "{\"d\": {\"x\": {\"y\": 1}}}", |editor| editor.nest("/x", &["d", "x"]));
    is_rejected("x: &a 1\ny: *a\n", |editor| editor.nest("/x", &["d", "x"]));
}

#[test]
fn moves_and_reindents_entries() {
    becomes(
        "a:\n  # own\n  b:\n    - 1 # one\n  c: 2\nd:\n  e: 3\n",
        "a:\n  c: 2\nd:\n  e: 3\n  # own\n  b:\n    - 1 # one\n",
        |editor| editor.move_entry("/a/b", "/d", Place::Last),
    );
    becomes("a:\n  b:\n    c: [1,\n     2]\n  d: 1\n", "a:\n  d: 1\nb:\n  c: [1,\n   2]\n", |editor| {
        editor.move_entry("/a/b", "", Place::Last)
    });
    becomes("a: {b: 1, c: x}\nd: {}\n", "a: {b: 1}\nd: {c: x}\n", |editor| {
        editor.move_entry("/a/c", "/d", Place::Last)
    });
    becomes("a: {b: 1, c: x}\nd:\n  e: 1\n", "a: {b: 1}\nd:\n  e: 1\n  c: x\n", |editor| {
        editor.move_entry("/a/c", "/d", Place::Last)
    });
    is_rejected("x: &a 1\nb:\n  c: *a\n  e: 1\nd:\n  f: 1\n", |editor| editor.move_entry("/b/c", "/d", Place::Last));
    is_rejected("a: {b: 1}\nd:\n  e: &s\n    f: 1\n  g: *s\n", |editor| editor.rename("/d/e/f", "h"));
}

#[test]
fn moves_items_between_sequences() {
    becomes(
        "s:\n  # first\n  - a: 1\n    b: |\n      t\n  - a: 2\nt:\n- c: 3\n",
        "s:\n  - a: 2\nt:\n- c: 3\n# first\n- a: 1\n  b: |\n    t\n",
        |editor| editor.move_item("/s/0", "", "t"),
    );
    becomes("s:\n  - a: 1\n  - a: 2\nx: 1\n", "s:\n  - a: 1\nt:\n  - a: 2\nx: 1\n", |editor| {
        editor.move_item("/s/1", "", "t")
    });
    becomes("s:\n  - a: 1\nt:\n  - b: 1", "t:\n  - b: 1\n  - a: 1", |editor| editor.move_item("/s/0", "", "t"));
}

#[test]
fn unwraps_single_items() {
    becomes("p:\n  id:\n    - type: x # c\n      d: y\n", "p:\n  id:\n      type: x # c\n      d: y\n", |editor| {
        editor.unwrap_item("/p/id")
    });
    becomes("p: [{a: 1}]\n", "p: {a: 1}\n", |editor| editor.unwrap_item("/p"));
    is_rejected("p:\n  - a: 1\n  - b: 1\n", |editor| editor.unwrap_item("/p"));
}

#[test]
fn turns_entries_into_comments_and_other_entries() {
    becomes(
        "- t: 1\n  p:\n    q: 2\n\n    r: 3\n  s: 4\n",
        "- t: 1\n  # p:\n  #   q: 2\n\n  #   r: 3\n  s: 4\n",
        |editor| editor.comment_out("/0/p"),
    );
    becomes("- n: 1\n  p:\n    # why\n    - q: 2\n", "- n: 1\n  # why\n  s:\n    t:\n      u: x\n", |editor| {
        editor.replace_entry("/0/p", "s", &json!({"t": {"u": "x"}}))
    });
}

#[test]
fn detects_unintended_changes() {
    let text = "a: &x 1\nb: *x\nc: 2\n";
    let document = parse(FileId::default(), text).document.unwrap();
    let edit = |start, end, replacement: &str| Edit {
        span: crate::diagnostics::Span::new(FileId::default(), start..end),
        replacement: replacement.to_owned(),
    };
    for (edit, expected) in [
        (edit(6, 7, "3"), Err(super::VerifyError::Repeated)),
        (edit(19, 19, "d: 1\n"), Ok(())),
        (edit(8, 8, "  "), Err(super::VerifyError::Unreadable)),
        (edit(3, 6, ""), Err(super::VerifyError::Unreadable)),
        (edit(14, 14, "d:\n  "), Err(super::VerifyError::ElsewhereChanged)),
        (edit(13, 13, " # c"), Ok(())),
    ] {
        let after = apply(text, [&edit]).unwrap();
        let parsed = parse(FileId::default(), after.as_str());
        if expected.is_err() || parsed.document.is_some() {
            assert_eq!(verify(&document, &[&edit], &parsed), expected, "{after}");
        }
    }
}

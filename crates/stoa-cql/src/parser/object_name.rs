//! Names of Java's management beans: `domain:key=value,key=value`.
//!
//! The rules are those of `javax.management.ObjectName`: in a pattern the domain and the values
//! may have `*` and `?`, and one item of the list may be `*`.

use std::collections::HashSet;

/// Whether a name is a pattern; none if it is no name at all.
pub(super) fn is_pattern(name: &str) -> Option<bool> {
    let (domain, list) = name.split_once(':')?;
    if domain.contains('\n') {
        return None;
    }
    let mut is_pattern = domain.contains(['*', '?']);
    let mut keys = HashSet::new();
    let mut has_star = false;
    let mut rest = list;
    loop {
        let item_rest = match rest.strip_prefix('*') {
            Some(after) if after.is_empty() || after.starts_with(',') => {
                if std::mem::replace(&mut has_star, true) {
                    return None;
                }
                is_pattern = true;
                after
            }
            _ => {
                let (key, after) = rest.split_once('=')?;
                if key.is_empty() || key.contains([',', ':', '*', '?', '\n']) || !keys.insert(key) {
                    return None;
                }
                let (is_value_pattern, after) = value(after)?;
                is_pattern |= is_value_pattern;
                after
            }
        };
        match item_rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return item_rest.is_empty().then_some(is_pattern),
        }
    }
}

/// Takes a value off the front: whether it is a pattern, and what follows.
fn value(text: &str) -> Option<(bool, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(',').unwrap_or(text.len());
        let (value, rest) = text.split_at_checked(end)?;
        if value.contains(['=', ':', '"', '\n']) {
            return None;
        }
        return Some((value.contains(['*', '?']), rest));
    };
    let mut is_pattern = false;
    let mut characters = quoted.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return Some((is_pattern, quoted.get(index + 1..)?)),
            '\\' => match characters.next()? {
                (_, '\\' | '"' | 'n' | '*' | '?') => {}
                _ => return None,
            },
            '*' | '?' => is_pattern = true,
            '\n' => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_patterns_are_told_apart() {
        for name in [
            "a:b=c",
            ":b=c",
            "a:b=",
            "a:b=c,d=e",
            r#"a:b="*\*""#,
            "a:b=\"c,d\"",
        ] {
            let expected = name.contains("\"*");
            assert_eq!(is_pattern(name), Some(expected), "{name}");
        }
        for name in ["a:*", "a?:b=c", "a:b=*", "a:b=c,*", "a:*,b=c"] {
            assert_eq!(is_pattern(name), Some(true), "{name}");
        }
        for name in [
            "",
            "a",
            "a:",
            "a:b",
            "a:b=c,",
            "a:b=c,b=d",
            "a:b=c=d",
            "a:b=c:d",
            "a:b=\"c",
            "a:=b",
            "a:*,*",
            "a:b=\"\\x\"",
            "a:b=\"c\"d",
        ] {
            assert_eq!(is_pattern(name), None, "{name}");
        }
    }
}

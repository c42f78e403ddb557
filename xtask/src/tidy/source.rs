//! A Rust file as rules see it: its views, its attributes and what they cover, its functions,
//! and which of its lines are tests.

use std::ops::RangeInclusive;

use super::lexer;
use super::search::{is_word, line_of, words};

/// One `.rs` file.
#[derive(Debug)]
pub(crate) struct Source {
    /// From the workspace's root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) code: String,
    pub(crate) comments: String,
    /// All of it is test code: it lies in a tests folder, or its `mod` line is `#[cfg(test)]`.
    pub(crate) all_test: bool,
    test_lines: Vec<RangeInclusive<usize>>,
}

/// `#[...]` or `#![...]`.
pub(crate) struct Attribute {
    pub(crate) inner: bool,
    /// Between the brackets, without white space.
    pub(crate) content: String,
    start: usize,
    end: usize,
}

/// A function with a body.
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) lines: RangeInclusive<usize>,
}

impl Source {
    /// Reads a file's text. Whether its `mod` line makes it a test is set by the workspace.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let lexer::Views { code, comments } = lexer::split(text);
        let mut source = Self {
            path: path.to_owned(),
            text: text.to_owned(),
            code,
            comments,
            all_test: path
                .split('/')
                .any(|part| matches!(part, "tests" | "benches")),
            test_lines: Vec::new(),
        };
        for attribute in source
            .attributes()
            .iter()
            .filter(|attribute| attribute.marks_test())
        {
            if attribute.inner {
                source.all_test = true;
            } else {
                let lines = source.covered_lines(attribute);
                source.test_lines.push(lines);
            }
        }
        source
    }

    /// Whether a line, from 1, is test code.
    pub(crate) fn is_test(&self, line: usize) -> bool {
        self.all_test || self.test_lines.iter().any(|lines| lines.contains(&line))
    }

    /// Every attribute, in order.
    pub(crate) fn attributes(&self) -> Vec<Attribute> {
        let code = self.code.as_bytes();
        let starts = self.code.match_indices('#').map(|(at, _)| at);
        starts
            .filter_map(|start| Attribute::at(code, start))
            .collect()
    }

    /// The lines from an attribute to the end of the item or statement below it; for an inner
    /// one, the whole file.
    pub(crate) fn covered_lines(&self, attribute: &Attribute) -> RangeInclusive<usize> {
        let (first, last) = if attribute.inner {
            (0, self.code.len())
        } else {
            (
                attribute.start,
                item_end(self.code.as_bytes(), attribute.end + 1),
            )
        };
        line_of(&self.code, first)..=line_of(&self.code, last)
    }

    /// Names of modules in files of their own that only tests have: `#[cfg(test)] mod tests;`.
    pub(crate) fn test_modules(&self) -> Vec<String> {
        let attributes = self.attributes();
        let tests = attributes.iter().filter(|attribute| attribute.marks_test());
        let modules = tests.filter_map(|attribute| {
            let end = item_end(self.code.as_bytes(), attribute.end + 1);
            let item = self.code.get(attribute.end + 1..end)?;
            let (_, name) = item.split_once("mod ")?;
            (!name.contains('{')).then(|| name.trim().to_owned())
        });
        modules.collect()
    }

    /// Every function with a body, nested ones too.
    pub(crate) fn functions(&self) -> Vec<Function> {
        let code = self.code.as_bytes();
        let functions = words(&self.code, "fn").filter_map(|at| {
            let rest = self.code.get(at + 2..)?.trim_start();
            let name: String = rest.chars().take_while(|&c| is_word(c)).collect();
            let end = item_end(code, at);
            let has_body = !name.is_empty() && code.get(end) == Some(&b'}');
            let lines = line_of(&self.code, at)..=line_of(&self.code, end);
            has_body.then_some(Function { name, lines })
        });
        functions.collect()
    }
}

impl Attribute {
    fn at(code: &[u8], start: usize) -> Option<Self> {
        let inner = code.get(start + 1) == Some(&b'!');
        let open = start + 1 + usize::from(inner);
        if code.get(open) != Some(&b'[') {
            return None;
        }
        let end = closing(code, open)?;
        let content = code.get(open + 1..end)?;
        let content = content
            .iter()
            .copied()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect();
        Some(Self {
            inner,
            content: String::from_utf8(content).ok()?,
            start,
            end,
        })
    }

    /// `test`, `cfg(test)`, `tokio::test`; not `cfg(any(test, ...))`, which also serves others.
    fn marks_test(&self) -> bool {
        let content = self.content.as_str();
        let path = content.split('(').next().unwrap_or(content);
        path == "test"
            || path.ends_with("::test")
            || content == "cfg(test)"
            || content.starts_with("cfg(all(test,")
    }
}

/// The offset of the bracket that closes the one at `open`.
fn closing(code: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in code.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 1 => return Some(at),
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// Where the item, statement or expression that starts at `from` ends: at its closing brace,
/// its semicolon, the comma after it, or the bracket that closes around it.
fn item_end(code: &[u8], from: usize) -> usize {
    let mut at = skip_attributes(code, from);
    let first: Vec<u8> = code
        .iter()
        .skip(at)
        .copied()
        .take_while(u8::is_ascii_alphanumeric)
        .collect();
    let is_statement = first == b"let";
    let is_item = ITEM_WORDS.contains(&first.as_slice());
    while let Some(byte) = code.get(at) {
        match byte {
            b'(' | b'[' | b'{' => match closing(code, at) {
                Some(close) if *byte == b'{' && is_item => return close,
                Some(close) => at = close,
                None => return code.len(),
            },
            b')' | b']' | b'}' | b';' => return at,
            b',' if !is_item && !is_statement => return at,
            _ => {}
        }
        at += 1;
    }
    code.len()
}

const ITEM_WORDS: &[&[u8]] = &[
    b"pub", b"fn", b"impl", b"mod", b"struct", b"enum", b"trait", b"const", b"static", b"unsafe",
    b"async", b"extern", b"use", b"type", b"macro",
];

fn skip_attributes(code: &[u8], from: usize) -> usize {
    let mut at = from;
    loop {
        while code.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        match Attribute::at(code, at) {
            Some(attribute) if code.get(at) == Some(&b'#') => at = attribute.end + 1,
            _ => return at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "\
fn long<T>(x: [u8; 2]) -> u8
where
    T: Sized,
{
    let text = \"}\";
    x.len() as u8
}

trait Shape {
    fn sides(&self) -> fn(u8);
}

#[cfg(test)]
mod cases;

#[cfg(test)]
mod tests {
    #[test]
    fn holds() {}
}
";

    #[test]
    fn functions_have_a_name_and_lines() {
        let functions = Source::new("a.rs", SAMPLE).functions();
        let named: Vec<_> = functions
            .iter()
            .map(|f| (f.name.as_str(), f.lines.clone()))
            .collect();
        assert_eq!(named, [("long", 1..=7), ("holds", 19..=19)]);
    }

    #[test]
    fn test_modules_are_known_inline_and_in_files() {
        let source = Source::new("a.rs", SAMPLE);
        assert_eq!(source.test_modules(), ["cases"]);
        assert!(!source.is_test(11));
        assert!(source.is_test(16) && source.is_test(20));
        assert!(Source::new("crates/a/tests/it/main.rs", "fn f() {}").is_test(1));
        assert!(Source::new("a.rs", "#![cfg(test)]\nfn f() {}").is_test(2));
    }

    #[test]
    fn an_attribute_covers_its_statement() {
        let text = "fn f() {\n    #[expect(x)]\n    let a = match b {\n        _ => 1,\n    };\n    c();\n}";
        let source = Source::new("a.rs", text);
        let attributes = source.attributes();
        assert_eq!(attributes[0].content, "expect(x)");
        assert_eq!(source.covered_lines(&attributes[0]), 2..=5);
    }
}

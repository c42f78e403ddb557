//! What people wrote, as HTML: a little of markdown, and nothing that a browser would run.
//!
//! The parser gives events, and this writes the few elements that are allowed. HTML in a text is
//! text; images are their description; links go to http, https and mail alone. Nothing from a text
//! reaches the page but through `escaped`.
//!
//! Limits come first: a text that is too long, or a line that nests too deep, is cut before it is
//! parsed, so that no text takes longer than a page may.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use maud::{Markup, PreEscaped};

/// Bytes of a text that are rendered at most.
const MOST_BYTES: usize = 100_000;
/// How deep quotes and lists are shown; what is deeper stands at that depth.
const MOST_DEPTH: usize = 8;
/// Marks of quotes and lists at the beginning of one line that are read at most.
const MOST_MARKS: usize = 16;

/// A text as HTML.
#[must_use]
pub fn html(text: &str) -> Markup {
    let text = bounded(text);
    let mut writer = Writer::default();
    for event in Parser::new_ext(
        &text,
        Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES,
    ) {
        writer.write(event);
    }
    PreEscaped(writer.html)
}

/// The beginning of a text without marks, for places that have one line.
#[must_use]
pub fn plain(text: &str, most: usize) -> String {
    let text = bounded(text);
    let mut plain = String::new();
    let mut length = 0;
    for event in Parser::new(&text) {
        let piece = match event {
            Event::Text(piece) | Event::Code(piece) => piece.into_string(),
            Event::SoftBreak | Event::HardBreak => " ".to_owned(),
            Event::End(
                TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link,
            ) => {
                continue;
            }
            Event::End(_) => " ".to_owned(),
            _ => continue,
        };
        for letter in piece.chars() {
            if letter == ' ' && (plain.is_empty() || plain.ends_with(' ')) {
                continue;
            }
            if length == most {
                plain.truncate(plain.trim_end().len());
                plain.push('…');
                return plain;
            }
            plain.push(letter);
            length += 1;
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// A text within the limits of length and depth.
fn bounded(text: &str) -> String {
    let end = text.floor_char_boundary(MOST_BYTES);
    let text = text.get(..end).unwrap_or_default();
    let lines = text.split_inclusive('\n').map(|line| {
        let is_mark = |letter: char| matches!(letter, '>' | '-' | '*' | '+' | ' ' | '\t');
        let rest = line.trim_start_matches(is_mark);
        let marks = line.len() - rest.len();
        match marks > MOST_MARKS && marks < line.len() {
            // Code that is indented stays; so many marks are no sentence.
            true if line.trim_start().len() < rest.len() + 2 => line,
            true => rest,
            false if marks > 200 => "\n",
            false => line,
        }
    });
    lines.collect()
}

#[derive(Default)]
struct Writer {
    html: String,
    depth: usize,
    /// Whether each open link is written.
    links: Vec<bool>,
    in_head: bool,
}

impl Writer {
    fn write(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.begin(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.escaped(&text),
            Event::Code(code) => {
                self.html.push_str("<code>");
                self.escaped(&code);
                self.html.push_str("</code>");
            }
            Event::SoftBreak => self.html.push('\n'),
            Event::HardBreak => self.html.push_str("<br>"),
            Event::Rule => self.html.push_str("<hr>"),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.escaped(&text);
            }
            Event::TaskListMarker(_) => {}
        }
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.html.push_str("<p>"),
            // Headings of a text stand below those of the page.
            Tag::Heading { .. } => self.html.push_str("<h3>"),
            Tag::BlockQuote(_) => self.deeper("<blockquote class=\"quote\">"),
            Tag::CodeBlock(CodeBlockKind::Indented | CodeBlockKind::Fenced(_)) => {
                self.html.push_str("<pre><code>");
            }
            Tag::List(None) => self.deeper("<ul>"),
            Tag::List(Some(_)) => self.deeper("<ol>"),
            Tag::Item if self.depth <= MOST_DEPTH => self.html.push_str("<li>"),
            Tag::Table(_) => self.html.push_str("<table class=\"tbl\">"),
            Tag::TableHead => {
                self.in_head = true;
                self.html.push_str("<tr>");
            }
            Tag::TableRow => self.html.push_str("<tr>"),
            Tag::TableCell if self.in_head => self.html.push_str("<th scope=\"col\">"),
            Tag::TableCell => self.html.push_str("<td>"),
            Tag::Emphasis => self.html.push_str("<em>"),
            Tag::Strong => self.html.push_str("<strong>"),
            Tag::Strikethrough => self.html.push_str("<s>"),
            Tag::Link { dest_url, .. } => self.link(dest_url),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.html.push_str("</p>\n"),
            TagEnd::Heading(_) => self.html.push_str("</h3>\n"),
            TagEnd::BlockQuote(_) => self.shallower("</blockquote>\n"),
            TagEnd::CodeBlock => self.html.push_str("</code></pre>\n"),
            TagEnd::List(false) => self.shallower("</ul>\n"),
            TagEnd::List(true) => self.shallower("</ol>\n"),
            TagEnd::Item if self.depth <= MOST_DEPTH => self.html.push_str("</li>\n"),
            TagEnd::Item => self.html.push('\n'),
            TagEnd::Table => self.html.push_str("</table>\n"),
            TagEnd::TableHead => {
                self.in_head = false;
                self.html.push_str("</tr>\n");
            }
            TagEnd::TableRow => self.html.push_str("</tr>\n"),
            TagEnd::TableCell if self.in_head => self.html.push_str("</th>"),
            TagEnd::TableCell => self.html.push_str("</td>"),
            TagEnd::Emphasis => self.html.push_str("</em>"),
            TagEnd::Strong => self.html.push_str("</strong>"),
            TagEnd::Strikethrough => self.html.push_str("</s>"),
            TagEnd::Link if self.links.pop() == Some(true) => self.html.push_str("</a>"),
            _ => {}
        }
    }

    fn deeper(&mut self, tag: &str) {
        self.depth += 1;
        if self.depth <= MOST_DEPTH {
            self.html.push_str(tag);
        }
    }

    fn shallower(&mut self, tag: &str) {
        if self.depth <= MOST_DEPTH {
            self.html.push_str(tag);
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn link(&mut self, to: &str) {
        let is_shown = is_followed(to);
        self.links.push(is_shown);
        if is_shown {
            self.html
                .push_str("<a rel=\"nofollow noopener ugc\" href=\"");
            self.escaped(to);
            self.html.push_str("\">");
        }
    }

    fn escaped(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '&' => self.html.push_str("&amp;"),
                '<' => self.html.push_str("&lt;"),
                '>' => self.html.push_str("&gt;"),
                '"' => self.html.push_str("&quot;"),
                '\'' => self.html.push_str("&#39;"),
                other => self.html.push(other),
            }
        }
    }
}

/// Whether a link goes where links of people may go.
#[must_use]
pub fn is_followed(to: &str) -> bool {
    let begins = |scheme: &str| {
        let head = to.get(..scheme.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    };
    let is_plain = !to.chars().any(char::is_control);
    is_plain
        && ["http://", "https://", "mailto:"]
            .iter()
            .any(|scheme| begins(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_mean_is_shown() {
        let text =
            "Hello *you*, **now**.\n\n- one\n- [two](https://example.org/?a=1&b=2)\n\n> quoted";
        let expected = "<p>Hello <em>you</em>, <strong>now</strong>.</p>\n<ul><li>one</li>\n<li><a \
            rel=\"nofollow noopener ugc\" href=\"https://example.org/?a=1&amp;b=2\">two</a></li>\n\
            </ul>\n<blockquote class=\"quote\"><p>quoted</p>\n</blockquote>\n";
        assert_eq!(html(text).into_string(), expected);
        assert_eq!(plain(text, 20), "Hello you, now. one…");
    }

    #[test]
    fn nothing_that_runs_comes_through() {
        for payload in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "a <svg/onload=alert(1)> b",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](&#106;avascript:alert(1))",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "[x](vbscript:msgbox(1))",
            "[x](//evil.example)",
            "<javascript:alert(1)>",
            "![x](https://evil.example/track.png)",
            "![x\" onerror=\"alert(1)](x)",
            "[x](https://a.example/\"onmouseover=\"alert(1))",
            "<a href=\"https://a.example\" onclick=\"alert(1)\">x</a>",
            "```\"><script>alert(1)</script>\n```",
            "<!-- --><iframe src=//evil.example>",
            "<https://a.example/<script>>",
            "[a]: javascript:alert(1)\n\n[a]",
            "`<b>`<style>*{display:none}</style>",
            "\u{0}<scr\u{0}ipt>",
        ] {
            let html = html(payload).into_string();
            let bare = html.replace("&lt;", "").replace("&quot;", "");
            for bad in [
                "<script",
                "<img",
                "<svg",
                "<iframe",
                "<style",
                "href=\"java",
                "href=\"data",
                "href=\"vb",
                "href=\"//",
                "\" on",
            ] {
                assert!(
                    !bare.to_lowercase().contains(bad),
                    "{payload:?} became {html}"
                );
            }
        }
    }

    #[test]
    fn no_depth_and_no_length_takes_long() {
        let clock = stoa_types::SystemClock::new();
        let hostile = [
            ">".repeat(100_000),
            "> ".repeat(100_000),
            format!("{}x", ">".repeat(100_000)),
            "- ".repeat(100_000),
            format!("{}x\n", "> ".repeat(15)).repeat(5_000),
            "[".repeat(100_000),
            "![".repeat(50_000),
            "*a_".repeat(50_000),
            "`".repeat(100_000),
            "<".repeat(100_000),
            "[a](".repeat(30_000),
            "a|b\n-|-\n".repeat(10_000),
            "x".repeat(10_000_000),
        ];
        for text in &hostile {
            let html = html(text).into_string();
            assert!(
                html.matches("<blockquote").count() <= 80_000,
                "{}",
                html.len()
            );
            assert!(html.len() < 2_000_000, "{}", html.len());
        }
        // Far below what it takes where the limits are left out.
        assert!(stoa_types::Clock::monotonic(&clock).as_secs() < 60);
    }
}

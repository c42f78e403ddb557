//! What may come next: keywords, keyspaces, tables, columns. A pure function of the text.
//!
//! It looks at the words of the present statement and nothing more; what it offers may be too
//! much, and whatever is typed is left to the back end to judge.

use stoa_cql::keyword;
use stoa_types::text::identifier::quoted;

use super::command::FIRST_WORDS;
use super::help;
use super::names::{InKeyspace, Names};
use super::script::Script;
use super::words::{Word, words};

/// Words that statements begin with.
const STATEMENTS: [&str; 10] = [
    "ALTER", "BEGIN", "CREATE", "DELETE", "DROP", "INSERT", "SELECT", "TRUNCATE", "UPDATE", "USE",
];

/// The offset where the word to complete begins, and what it may become. `text` ends at the cursor.
pub(super) fn complete(text: &str, names: &Names, keyspace: Option<&str>) -> (usize, Vec<String>) {
    let statement = present_statement(text);
    let is_part = |it: char| it.is_alphanumeric() || "_.\"".contains(it);
    let start = statement.rfind(|it: char| !is_part(it));
    let start = start.map_or(0, |at| at + statement.get(at..).map_or(1, first_length));
    let (before, typed) = statement.split_at_checked(start).unwrap_or(("", statement));
    let begins_at = text.len() - typed.len();
    let Ok(before) = words(before) else {
        // Inside a string there is nothing to offer.
        return (begins_at, Vec::new());
    };
    let offered = offers(&before, typed, names, keyspace);
    let mut fitting: Vec<String> = offered
        .into_iter()
        .filter(|it| starts_with(it, typed))
        .collect();
    fitting.sort_unstable();
    fitting.dedup();
    if let [only] = fitting.as_mut_slice() {
        // After the name of a keyspace, that of a table follows at once.
        if !only.ends_with('.') {
            only.push(' ');
        }
    }
    (begins_at, fitting)
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(1, char::len_utf8)
}

/// What follows the last statement that has ended.
fn present_statement(text: &str) -> &str {
    let last = Script::new(text).last();
    let rest = match last {
        Some(piece) if piece.is_finished => {
            let after = text.get(piece.range.end..).unwrap_or("");
            match after.split_once([';', '\n']) {
                Some((_, rest)) => rest,
                // A command that may end with its line, but has not.
                None => text.get(piece.range.start..).unwrap_or(""),
            }
        }
        Some(piece) => text.get(piece.range.start..).unwrap_or(""),
        None => text,
    };
    rest.trim_start()
}

fn starts_with(offer: &str, typed: &str) -> bool {
    let head = offer.get(..typed.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(typed))
}

fn offers(before: &[Word], typed: &str, names: &Names, keyspace: Option<&str>) -> Vec<String> {
    let Some(last) = before.last() else {
        let all = STATEMENTS.iter().chain(&FIRST_WORDS);
        return all.map(|word| in_case_of(word, typed)).collect();
    };
    if before.first().is_some_and(|it| it.is("help")) {
        return help::topics().map(str::to_owned).collect();
    }
    let wants = |keywords: &[&str]| keywords.iter().any(|keyword| last.is(keyword));
    if wants(&["use", "keyspace"]) {
        return names.keyspaces.iter().map(|it| quoted(it)).collect();
    }
    if wants(&["type"]) {
        return in_scope(&names.types, &names.keyspaces, typed, keyspace);
    }
    if wants(&["index"]) {
        return in_scope(&names.indexes, &names.keyspaces, typed, keyspace);
    }
    if wants(&[
        "from", "into", "update", "table", "truncate", "copy", "view", "on",
    ]) {
        return in_scope(&names.tables, &names.keyspaces, typed, keyspace);
    }
    let mut offers: Vec<String> = keyword::all().map(|it| in_case_of(it, typed)).collect();
    offers.extend(columns(before, names, keyspace));
    if before.iter().any(|it| it.is("describe") || it.is("desc")) {
        offers.extend(in_scope(&names.tables, &names.keyspaces, typed, keyspace));
    }
    offers
}

/// A keyword in the case in which the user types.
fn in_case_of(keyword: &str, typed: &str) -> String {
    let is_lower = typed.chars().next().is_some_and(char::is_lowercase);
    if is_lower {
        keyword.to_ascii_lowercase()
    } else {
        keyword.to_ascii_uppercase()
    }
}

/// Names in the keyspace that was typed, or else in the one in use; and keyspaces to begin with.
fn in_scope(
    all: &[InKeyspace],
    keyspaces: &[String],
    typed: &str,
    in_use: Option<&str>,
) -> Vec<String> {
    let within = |keyspace: &str| {
        let inside = all.iter().filter(move |it| it.keyspace == keyspace);
        inside.map(|it| quoted(&it.name)).collect::<Vec<_>>()
    };
    if let Some((prefix, _)) = typed.split_once('.') {
        let name = prefix.trim_matches('"');
        let inside = within(name).into_iter();
        return inside.map(|it| format!("{prefix}.{it}")).collect();
    }
    let mut offers = in_use.map(within).unwrap_or_default();
    offers.extend(keyspaces.iter().map(|it| format!("{}.", quoted(it))));
    offers
}

/// The columns of every table that the statement has named so far, or all columns of the keyspace
/// in use, since `SELECT` names its table last.
fn columns(before: &[Word], names: &Names, in_use: Option<&str>) -> Vec<String> {
    let tables = named_tables(before);
    let is_wanted = |keyspace: &str, table: &str| {
        if tables.is_empty() {
            return in_use == Some(keyspace);
        }
        tables.iter().any(|(named_in, name)| {
            let scope = named_in.as_deref().or(in_use);
            name == table && scope == Some(keyspace)
        })
    };
    let columns = names.columns.iter();
    let columns = columns.filter(|it| is_wanted(&it.keyspace, &it.table));
    columns.map(|it| quoted(&it.name)).collect()
}

/// Each table of a statement, with its keyspace if that is given.
fn named_tables(words: &[Word]) -> Vec<(Option<String>, String)> {
    let mut tables = Vec::new();
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if !["from", "into", "update", "table", "on", "copy"]
            .iter()
            .any(|it| first.is(it))
        {
            continue;
        }
        match after {
            [keyspace, Word::Sign('.'), table, ..] => {
                if let (Some(keyspace), Some(table)) = (name(keyspace), name(table)) {
                    tables.push((Some(keyspace), table));
                }
            }
            [table, ..] => tables.extend(name(table).map(|table| (None, table))),
            [] => {}
        }
    }
    tables
}

fn name(word: &Word) -> Option<String> {
    match word {
        Word::Bare(name) => Some(name.to_ascii_lowercase()),
        Word::Name(name) => Some(name.clone()),
        Word::Text(_) | Word::Sign(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::ColumnName;
    use super::*;

    fn names() -> Names {
        let column = |table: &str, name: &str| ColumnName {
            keyspace: "ks".to_owned(),
            table: table.to_owned(),
            name: name.to_owned(),
        };
        let table = |name: &str| InKeyspace {
            keyspace: "ks".to_owned(),
            name: name.to_owned(),
        };
        Names {
            keyspaces: vec!["ks".to_owned(), "Odd".to_owned()],
            tables: vec![table("people"), table("places")],
            columns: vec![
                column("people", "first_name"),
                column("people", "age"),
                column("places", "first_seen"),
            ],
            ..Names::default()
        }
    }

    fn offered(text: &str, keyspace: Option<&str>) -> Vec<String> {
        complete(text, &names(), keyspace).1
    }

    #[test]
    fn statements_begin_with_keywords_in_the_case_that_is_typed() {
        assert_eq!(offered("SEL", None), ["SELECT "]);
        assert_eq!(offered("sel", None), ["select "]);
        assert_eq!(offered("USE ks; tim", None), ["timing "]);
        assert_eq!(complete("USE ks;\n  SEL", &names(), None).0, 10);
    }

    #[test]
    fn keyspaces_and_tables_come_after_their_keywords() {
        assert_eq!(offered("USE ", None), ["\"Odd\"", "ks"]);
        assert_eq!(offered("SELECT * FROM p", Some("ks")), ["people", "places"]);
        assert_eq!(offered("SELECT * FROM k", None), ["ks."]);
        assert_eq!(
            offered("SELECT * FROM ks.p", None),
            ["ks.people", "ks.places"]
        );
    }

    #[test]
    fn columns_are_those_of_the_tables_that_are_named() {
        let text = "SELECT * FROM ks.people WHERE first_";
        assert_eq!(offered(text, None), ["first_name "]);
        assert_eq!(
            offered("UPDATE places SET first_", Some("ks")),
            ["first_seen "]
        );
        let all = offered("SELECT first_", Some("ks"));
        assert_eq!(all, ["first_name", "first_seen"]);
    }

    #[test]
    fn there_is_nothing_to_offer_in_a_string() {
        assert!(offered("SELECT * FROM people WHERE first_name = 'SEL", None).is_empty());
    }

    #[test]
    fn help_offers_its_topics() {
        assert_eq!(offered("HELP SE", None), ["SELECT", "SERIAL CONSISTENCY"]);
    }
}

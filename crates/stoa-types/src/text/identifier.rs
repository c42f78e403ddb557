//! Names in CQL text: when they need quotes.

/// Words that cannot be names without quotes, in upper case and in order.
const RESERVED: [&str; 62] = [
    "ADD",
    "ALLOW",
    "ALTER",
    "AND",
    "APPLY",
    "ASC",
    "AUTHORIZE",
    "BATCH",
    "BEGIN",
    "BY",
    "COLUMNFAMILY",
    "CREATE",
    "DEFAULT",
    "DELETE",
    "DESC",
    "DESCRIBE",
    "DROP",
    "ENTRIES",
    "EXECUTE",
    "FROM",
    "FULL",
    "GRANT",
    "IF",
    "IN",
    "INDEX",
    "INFINITY",
    "INSERT",
    "INTO",
    "IS",
    "KEYSPACE",
    "LIMIT",
    "MATERIALIZED",
    "MBEAN",
    "MBEANS",
    "MODIFY",
    "NAN",
    "NORECURSIVE",
    "NOT",
    "NULL",
    "OF",
    "ON",
    "OR",
    "ORDER",
    "PRIMARY",
    "RENAME",
    "REPLACE",
    "REVOKE",
    "SCHEMA",
    "SELECT",
    "SET",
    "TABLE",
    "TO",
    "TOKEN",
    "TRUNCATE",
    "UNLOGGED",
    "UNSET",
    "UPDATE",
    "USE",
    "USING",
    "VIEW",
    "WHERE",
    "WITH",
];

/// Whether a word is reserved in CQL, in any case.
#[must_use]
pub fn is_reserved(word: &str) -> bool {
    let upper = word.to_ascii_uppercase();
    RESERVED.binary_search(&upper.as_str()).is_ok()
}

/// The name as CQL text: in double quotes unless it reads back as itself without them.
#[must_use]
pub fn quoted(name: &str) -> String {
    let starts_well = name.starts_with(|first: char| first.is_ascii_lowercase());
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if starts_well && name.bytes().all(is_plain) && !is_reserved(name) {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_sorted_for_the_search() {
        assert!(RESERVED.is_sorted());
    }

    #[test]
    fn quotes_where_needed() {
        assert_eq!(quoted("a_1"), "a_1");
        assert_eq!(quoted("A"), "\"A\"");
        assert_eq!(quoted("1a"), "\"1a\"");
        assert_eq!(quoted(""), "\"\"");
        assert_eq!(quoted("select"), "\"select\"");
        assert_eq!(quoted("with"), "\"with\"");
        assert_eq!(quoted("key"), "key");
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }
}

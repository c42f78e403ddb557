//! The words that mean something in CQL 5.0, and which of them may still be names.
//!
//! Cassandra keeps most of its keywords free for use as names. `Parser.g` does so in three steps,
//! which `Freedom` repeats. Its list of reserved words (`ReservedKeywords.java`), which says when
//! `DESCRIBE` quotes a name, is another one: it has words that the grammar takes as names.

/// Whether a word cannot be a name unless it is quoted; in any letter case.
///
/// ```
/// assert!(stoa_cql::keyword::is_reserved("Select"));
/// assert!(!stoa_cql::keyword::is_reserved("key"));
/// ```
#[must_use]
pub fn is_reserved(word: &str) -> bool {
    Keyword::of(word.as_bytes()).is_some_and(|keyword| keyword.freedom() == Freedom::Reserved)
}

/// Every keyword, in lower case.
pub fn all() -> impl Iterator<Item = &'static str> {
    WORDS.iter().copied().chain(ALIASES.map(|(word, _)| word))
}

/// What else a keyword may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freedom {
    /// Nothing else.
    Reserved,
    /// A name, but not of a function or a type.
    Name,
    /// A name, but not of a type: these are the native types.
    NativeType,
    /// Any name.
    Free,
}

/// Second spellings. The grammar means `schema` to be one of `keyspace`, too, but its lexer never
/// finds it so: `CREATE SCHEMA` is refused.
const ALIASES: [(&str, Keyword); 2] = [
    ("columnfamilies", Keyword::Tables),
    ("columnfamily", Keyword::Table),
];

/// The longest keyword has 14 letters; words up to 16 fit into one number.
const LONGEST: usize = 16;

impl Keyword {
    /// The keyword that a word is, in any letter case.
    pub(crate) fn of(word: &[u8]) -> Option<Self> {
        if word.len() > LONGEST {
            return None;
        }
        let packed_word = packed(word);
        match PACKED.binary_search(&packed_word) {
            Ok(found) => KEYWORDS.get(found).copied(),
            Err(_) => {
                let alias = |(word, _): &&(&str, Self)| packed(word.as_bytes()) == packed_word;
                ALIASES.iter().find(alias).map(|(_, keyword)| *keyword)
            }
        }
    }

    /// Whether it may be a name without quotes.
    pub(crate) const fn is_name(self) -> bool {
        !matches!(self.freedom(), Freedom::Reserved)
    }
}

/// The letters of a word, in lower case, as one number that sorts as the word does.
const fn packed(word: &[u8]) -> u128 {
    let mut number = 0;
    let mut shift = 8 * LONGEST as u32;
    let mut rest = word;
    while let [first, others @ ..] = rest {
        shift -= 8;
        number |= (first.to_ascii_lowercase() as u128) << shift;
        rest = others;
    }
    number
}

macro_rules! keywords {
    ($($word:literal $keyword:ident $freedom:ident,)*) => {
        /// A keyword.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Keyword {
            $($keyword,)*
        }

        impl Keyword {
            /// What else it may be.
            pub(crate) const fn freedom(self) -> Freedom {
                match self {
                    $(Self::$keyword => Freedom::$freedom,)*
                }
            }

            /// The word, in lower case.
            pub(crate) const fn word(self) -> &'static str {
                match self {
                    $(Self::$keyword => $word,)*
                }
            }
        }

        /// All keywords; the three lists go side by side, sorted.
        static KEYWORDS: &[Keyword] = &[$(Keyword::$keyword,)*];
        static WORDS: &[&str] = &[$($word,)*];
        static PACKED: &[u128] = &[$(packed($word.as_bytes()),)*];
    };
}

keywords! {
    "access" Access Free,
    "add" Add Reserved,
    "aggregate" Aggregate Free,
    "aggregates" Aggregates Free,
    "all" All Free,
    "allow" Allow Reserved,
    "alter" Alter Reserved,
    "and" And Reserved,
    "ann" Ann Free,
    "apply" Apply Reserved,
    "as" As Free,
    "asc" Asc Reserved,
    "ascii" Ascii NativeType,
    "authorize" Authorize Reserved,
    "batch" Batch Reserved,
    "begin" Begin Reserved,
    "bigint" BigInt NativeType,
    "blob" Blob NativeType,
    "boolean" Boolean NativeType,
    "by" By Reserved,
    "called" Called Free,
    "cast" Cast Name,
    "cidrs" Cidrs Free,
    "cluster" Cluster Free,
    "clustering" Clustering Free,
    "compact" Compact Free,
    "contains" Contains Free,
    "count" Count Name,
    "counter" Counter NativeType,
    "create" Create Reserved,
    "custom" Custom Free,
    "datacenters" Datacenters Free,
    "date" Date NativeType,
    "decimal" Decimal NativeType,
    "default" Default Free,
    "delete" Delete Reserved,
    "desc" Desc Reserved,
    "describe" Describe Reserved,
    "distinct" Distinct Name,
    "double" Double NativeType,
    "drop" Drop Reserved,
    "duration" Duration NativeType,
    "entries" Entries Reserved,
    "execute" Execute Reserved,
    "exists" Exists Free,
    "false" False Reserved,
    "filtering" Filtering Free,
    "finalfunc" Finalfunc Free,
    "float" Float NativeType,
    "from" From Reserved,
    "frozen" Frozen Free,
    "full" Full Reserved,
    "function" Function Free,
    "functions" Functions Free,
    "grant" Grant Reserved,
    "group" Group Free,
    "hashed" Hashed Free,
    "identity" Identity Free,
    "if" If Reserved,
    "in" In Reserved,
    "index" Index Reserved,
    "inet" Inet NativeType,
    "infinity" Infinity Reserved,
    "initcond" Initcond Free,
    "input" Input Free,
    "insert" Insert Reserved,
    "int" Int NativeType,
    "internals" Internals Free,
    "into" Into Reserved,
    "is" Is Reserved,
    "json" Json Name,
    "key" Key Name,
    "keys" Keys Free,
    "keyspace" Keyspace Reserved,
    "keyspaces" Keyspaces Free,
    "language" Language Free,
    "like" Like Free,
    "limit" Limit Reserved,
    "list" List Free,
    "login" Login Free,
    "map" Map Free,
    "masked" Masked Free,
    "materialized" Materialized Reserved,
    "maxwritetime" MaxWriteTime Name,
    "mbean" Mbean Free,
    "mbeans" Mbeans Free,
    "modify" Modify Reserved,
    "nan" Nan Reserved,
    "nologin" Nologin Free,
    "norecursive" Norecursive Reserved,
    "nosuperuser" Nosuperuser Free,
    "not" Not Reserved,
    "null" Null Reserved,
    "of" Of Reserved,
    "on" On Reserved,
    "only" Only Free,
    "options" Options Free,
    "or" Or Reserved,
    "order" Order Reserved,
    "partition" Partition Free,
    "password" Password Free,
    "per" Per Free,
    "permission" Permission Free,
    "permissions" Permissions Free,
    "primary" Primary Reserved,
    "rename" Rename Reserved,
    "replace" Replace Free,
    "returns" Returns Free,
    "revoke" Revoke Reserved,
    "role" Role Free,
    "roles" Roles Free,
    "schema" Schema Reserved,
    "select" Select Reserved,
    "select_masked" SelectMasked Free,
    "set" Set Reserved,
    "sfunc" Sfunc Free,
    "smallint" SmallInt NativeType,
    "static" Static Free,
    "storage" Storage Free,
    "stype" Stype Free,
    "superuser" Superuser Free,
    "table" Table Reserved,
    "tables" Tables Free,
    "text" Text NativeType,
    "time" Time NativeType,
    "timestamp" Timestamp NativeType,
    "timeuuid" TimeUuid NativeType,
    "tinyint" TinyInt NativeType,
    "to" To Reserved,
    "token" Token Reserved,
    "trigger" Trigger Free,
    "true" True Reserved,
    "truncate" Truncate Reserved,
    "ttl" Ttl Name,
    "tuple" Tuple Free,
    "type" Type Free,
    "types" Types Free,
    "unlogged" Unlogged Reserved,
    "unmask" Unmask Free,
    "unset" Unset Free,
    "update" Update Reserved,
    "use" Use Reserved,
    "user" User Free,
    "users" Users Free,
    "using" Using Reserved,
    "uuid" Uuid NativeType,
    "values" Values Free,
    "varchar" VarChar NativeType,
    "varint" VarInt NativeType,
    "vector" Vector Free,
    "view" View Reserved,
    "where" Where Reserved,
    "with" With Reserved,
    "writetime" WriteTime Name,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted_for_the_search() {
        assert!(PACKED.is_sorted());
    }

    #[test]
    fn keywords_are_found_in_any_case() {
        for word in all() {
            let keyword = Keyword::of(word.as_bytes());
            assert!(keyword.is_some(), "{word}");
            assert_eq!(Keyword::of(word.to_ascii_uppercase().as_bytes()), keyword);
        }
        assert_eq!(Keyword::of(b"ColumnFamily"), Some(Keyword::Table));
        for word in [
            "",
            "a",
            "selects",
            "selec",
            "between",
            "a_word_of_16_char",
            "\0",
        ] {
            assert_eq!(Keyword::of(word.as_bytes()), None, "{word}");
        }
    }
}

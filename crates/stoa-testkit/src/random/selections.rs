//! What a SELECT selects: columns, parts of them, functions, casts, arithmetic, aggregates.

use super::Generator;
use super::draft::Draft;
use super::swarm::{TIME_TOLERANCE, TTL_TOLERANCE};
use super::table::{Column, Place, Table, names};
use super::types::Type;
use super::values;

/// Types that a cast may ask for.
const CASTS: [&str; 14] = [
    "text",
    "ascii",
    "int",
    "bigint",
    "double",
    "float",
    "decimal",
    "varint",
    "smallint",
    "tinyint",
    "timestamp",
    "date",
    "uuid",
    "blob",
];

impl Generator {
    /// Adds several selectors with functions.
    pub(super) fn selectors(&mut self, draft: &mut Draft, table: &Table) {
        let count = 1 + self.rng.index(3);
        for number in 0..count {
            if number > 0 {
                draft.add(", ");
            }
            let Some(column) = table.any(&mut self.rng, |_| true).cloned() else {
                return;
            };
            self.selector(draft, table, &column, number);
        }
    }

    fn selector(&mut self, draft: &mut Draft, table: &Table, column: &Column, number: usize) {
        let name = &column.name;
        let is_stamped = !column.place.is_key() && !table.is_counter;
        match self.rng.below(100) {
            0..14 if is_stamped => self.time_selector(draft, column, number),
            0..34 => draft.add(name),
            34..48 => {
                let data_type = self.rng.pick(&CASTS).copied().unwrap_or("text");
                draft.add(&format!("CAST({name} AS {data_type})"));
            }
            48..62 if column.data_type.is_number() => self.arithmetic(draft, column),
            62..78 => self.part_or_function(draft, column),
            78..84 => draft.add(&format!("toJson({name})")),
            84..89 => draft.add(&format!("token({})", names(table.partition_key()))),
            89..95 => self.literal_selector(draft, column),
            _ => draft.add(&format!("{name} AS a{number}")),
        }
    }

    fn time_selector(&mut self, draft: &mut Draft, column: &Column, number: usize) {
        let function = match self.rng.below(6) {
            0..2 => "TTL",
            2 => "MAXWRITETIME",
            _ => "WRITETIME",
        };
        let mut place = column.name.clone();
        if self.rng.chance(30) {
            match &column.data_type {
                Type::Map(key, _) | Type::Set(key) => {
                    let key = values::any(&mut self.rng, key).literal();
                    place = format!("{place}[{key}]");
                }
                Type::User(user) => {
                    if let Some((field, _)) = self.rng.pick(&user.fields) {
                        place = format!("{place}.{field}");
                    }
                }
                _ => {}
            }
        }
        draft.add(&format!("{function}({place}) AS t{number}"));
        let tolerance = if function == "TTL" {
            TTL_TOLERANCE
        } else {
            TIME_TOLERANCE
        };
        // Lists of times have no text where a part has none, and conditional writes take the clock's.
        match column.data_type.is_multi_cell() && self.swarm.conditional > 0 {
            true => draft.direct(format!("any t{number}")),
            false => draft.direct(format!("within {tolerance} t{number}")),
        }
    }

    fn arithmetic(&mut self, draft: &mut Draft, column: &Column) {
        let operator = self
            .rng
            .pick(&["+", "-", "*", "/", "%"])
            .copied()
            .unwrap_or("+");
        let value = values::any(&mut self.rng, &column.data_type).literal();
        let name = &column.name;
        let text = match self.rng.below(5) {
            0 => format!("-{name}"),
            1 => format!("{name} {operator} {name}"),
            2 => format!("({name} {operator} 3) * 2"),
            3 => format!("{value} {operator} {name}"),
            _ => format!("{name} {operator} {value}"),
        };
        draft.add(&text);
    }

    /// An element, a slice, a field, or a function of the type.
    fn part_or_function(&mut self, draft: &mut Draft, column: &Column) {
        let name = &column.name;
        let text = match column.data_type.bare() {
            Type::Map(key, _) | Type::Set(key) => {
                let one = values::any(&mut self.rng, key).literal();
                let two = values::any(&mut self.rng, key).literal();
                match self.rng.below(6) {
                    0 => format!("{name}[{one}..{two}]"),
                    1 => format!("{name}[{one}..]"),
                    2 => format!("{name}[..{two}]"),
                    3 => format!("map_keys({name})"),
                    4 => format!("collection_count({name})"),
                    _ => format!("{name}[{one}]"),
                }
            }
            Type::List(_) => {
                let function = [
                    "collection_count",
                    "collection_min",
                    "collection_max",
                    "collection_sum",
                    "collection_avg",
                ];
                let function = self
                    .rng
                    .pick(&function)
                    .copied()
                    .unwrap_or("collection_count");
                format!("{function}({name})")
            }
            Type::User(user) => match self.rng.pick(&user.fields) {
                Some((field, _)) => format!("{name}.{field}"),
                None => name.clone(),
            },
            Type::Vector(..) => {
                let value = values::any(&mut self.rng, &column.data_type).literal();
                let kinds = ["cosine", "euclidean", "dot_product"];
                let kind = self.rng.pick(&kinds).copied().unwrap_or("cosine");
                format!("similarity_{kind}({name}, {value})")
            }
            Type::Native(native) => self.native_function(native, name),
            Type::Tuple(_) | Type::Frozen(_) => name.clone(),
        };
        draft.add(&text);
        alias_of_fields(draft, &text);
    }

    fn native_function(&mut self, native: &str, name: &str) -> String {
        let of_time = [
            "toDate",
            "to_timestamp",
            "toUnixTimestamp",
            "min_timeuuid",
            "max_timeuuid",
            "to_unix_timestamp",
            "dateOf",
            "unixTimestampOf",
        ];
        let of_number = ["abs", "exp", "log", "log10", "round"];
        let of_all = ["as_blob", "AsBlob"];
        match (native, self.rng.below(3)) {
            ("timestamp" | "date" | "timeuuid", 0..2) => {
                let function = self.rng.pick(&of_time).copied().unwrap_or("toDate");
                format!("{function}({name})")
            }
            ("timestamp" | "date", _) => {
                let units = ["1d", "1h", "1mo", "-3mo2d"];
                let unit = self.rng.pick(&units).copied().unwrap_or("1d");
                let sign = self.rng.pick(&["+", "-"]).copied().unwrap_or("+");
                format!("{name} {sign} {unit}")
            }
            ("blob", _) => {
                let functions = [
                    "blobAsInt",
                    "blob_as_text",
                    "blobAsBigint",
                    "blobasboolean",
                    "blob_as_uuid",
                ];
                let function = self.rng.pick(&functions).copied().unwrap_or("blobAsInt");
                format!("{function}({name})")
            }
            (
                "bigint" | "decimal" | "double" | "float" | "int" | "smallint" | "tinyint"
                | "varint",
                0..2,
            ) => {
                let function = self.rng.pick(&of_number).copied().unwrap_or("abs");
                format!("{function}({name})")
            }
            _ => match self.rng.pick(&of_all).copied().unwrap_or("AsBlob") {
                "as_blob" => format!("{native}_as_blob({name})"),
                _ => format!("{native}AsBlob({name})"),
            },
        }
    }

    /// A literal with a type hint, or a value made of others.
    fn literal_selector(&mut self, draft: &mut Draft, column: &Column) {
        let value = values::any(&mut self.rng, &column.data_type);
        let text = match self.rng.below(4) {
            0 => format!("({}) {}", column.data_type.cql(), value.literal()),
            1 => format!("[{}]", column.name),
            2 => format!("({}, {})", column.name, column.name),
            _ => "1".to_owned(),
        };
        draft.add(&text);
        alias_of_fields(draft, &text);
    }

    /// Adds several selectors with aggregates.
    pub(super) fn aggregates(&mut self, draft: &mut Draft, table: &Table) {
        let count = 1 + self.rng.index(3);
        for number in 0..count {
            if number > 0 {
                draft.add(", ");
            }
            let column = table.any(&mut self.rng, |_| true).cloned();
            let Some(column) = column else { return };
            let name = &column.name;
            // The times of fields are a list with nulls in it, which no tolerance is known for.
            let is_user = matches!(column.data_type, Type::User(_));
            let functions = ["count", "min", "max", "sum", "avg", "min", "max"];
            let function = self.rng.pick(&functions).copied().unwrap_or("count");
            match self.rng.below(10) {
                0..2 => draft.add("count(*)"),
                2 => draft.add(name),
                3 if !column.place.is_key() && !table.is_counter && !is_user => {
                    let word = self.rng.pick(&["min", "max"]).copied().unwrap_or("max");
                    draft.add(&format!("{word}(WRITETIME({name})) AS t{number}"));
                    draft.direct(format!("within {TIME_TOLERANCE} t{number}"));
                }
                _ => draft.add(&format!("{function}({name})")),
            }
        }
    }

    /// Adds plain columns, or a star.
    pub(super) fn plain_columns(&mut self, draft: &mut Draft, table: &Table) {
        if self.rng.chance(45) {
            draft.add("*");
            return;
        }
        let all: Vec<&Column> = table.columns.iter().collect();
        let count = 1 + self.rng.index(all.len());
        let mut chosen = self.rng.sample(&all, count);
        if self.rng.chance(25) {
            self.rng.shuffle(&mut chosen);
        }
        draft.add(&names(chosen.into_iter()));
    }

    /// Columns that SELECT DISTINCT may have.
    pub(super) fn distinct_columns(&mut self, draft: &mut Draft, table: &Table) {
        let mut chosen: Vec<&Column> = table.partition_key().collect();
        let statics: Vec<&Column> = table
            .columns
            .iter()
            .filter(|it| it.place == Place::Static)
            .collect();
        let count = self.rng.index(statics.len() + 1);
        chosen.extend(self.rng.sample(&statics, count));
        draft.add(&format!("DISTINCT {}", names(chosen.into_iter())));
    }
}

/// Names a column that would else be named by a value of a user-defined type, whose fields come in
/// the order of hashes there.
fn alias_of_fields(draft: &mut Draft, text: &str) {
    if text.contains("f0: ") {
        let number = draft.text.len();
        draft.add(&format!(" AS u{number}"));
    }
}

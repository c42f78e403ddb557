//! All restrictions of a statement together: which of them find partitions and slices, which are
//! left to be tested on rows, and what is refused.
//!
//! The rules are those of Cassandra's `StatementRestrictions`.

use stoa_cql::ast::{Comparison, Relation};
use stoa_types::{DataType, Token};

use super::clusterings::{self, Selected};
use super::filter::{AddressOrder, Filter};
use super::indexes::{is_group_enough, is_supported, supports};
use super::keys;
use super::merge::Restrictions;
use super::relation::{Resolved, Resolving};
use super::{Restriction, Test, TokenTest};
use crate::catalog::{Column, ColumnKind, KeyspaceKind, Table};
use crate::refusal::Refusal;
use crate::terms::{Context, Given, Term, Values, Variables};

/// What a `WHERE` belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Select,
    Update,
    Delete,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Self::Select => "SELECT",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

/// What a statement says beside its `WHERE` that matters to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About {
    pub(crate) purpose: Purpose,
    /// Whether only static columns are selected or written.
    pub(crate) only_static: bool,
    pub(crate) allow_filtering: bool,
    /// Whether the rows are ordered by nearness to a vector, which takes an index.
    pub(crate) is_nearest: bool,
}

/// A `WHERE`, resolved.
#[derive(Debug, Clone, Default)]
pub(crate) struct Where {
    partition: Restrictions,
    token: Vec<TokenTest>,
    clustering: Restrictions,
    /// How many of those on clustering columns find slices; the others are tested on rows.
    usable: usize,
    values: Restrictions,
    /// Whether partitions are walked over rather than named.
    pub(crate) is_range: bool,
    /// Whether an index finds the rows.
    pub(crate) uses_index: bool,
    filters_partition: bool,
    /// Whether restrictions on the partition key are tested on what an index has found.
    tests_partition: bool,
    /// The same for clustering columns.
    tests_clustering: bool,
}

/// The partitions to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Partitions {
    /// Those with these keys, in this order.
    Keys(Vec<Vec<u8>>),
    /// Those whose tokens lie between these, both included.
    Between(Token, Token),
    /// None.
    None,
}

impl Partitions {
    /// Whether there are none.
    pub(crate) fn is_nothing(&self) -> bool {
        match self {
            Self::Keys(keys) => keys.is_empty(),
            Self::Between(..) => false,
            Self::None => true,
        }
    }
}

const FILTERING: &str = "Cannot execute this query as it might involve data filtering and thus may \
    have unpredictable performance. If you want to execute this query despite the performance \
    unpredictability, use ALLOW FILTERING";

impl Where {
    /// Resolves the relations of a statement.
    pub(crate) fn new(
        relations: &[Relation],
        table: &Table,
        about: About,
        context: &Context<'_>,
        variables: &mut Variables,
    ) -> Result<Self, Refusal> {
        let mut all = Self::default();
        for relation in relations {
            let mut resolving = Resolving {
                table,
                context,
                variables,
            };
            match resolving.relation(relation)? {
                Resolved::Token(test) => all.add_token(test)?,
                Resolved::Columns(restriction) => {
                    if matches!(restriction.test, Test::NotNull) {
                        return Err(Refusal::invalid(format!(
                            "Unsupported restriction: {relation}"
                        )));
                    }
                    if matches!(restriction.test, Test::Like) {
                        return Err(Refusal::invalid(format!(
                            "LIKE restriction is only supported on properly indexed columns. {relation} is not valid."
                        )));
                    }
                    all.add(restriction, table, about)?;
                }
            }
        }
        all.usable = all.usable_count(table);
        all.check(table, about)?;
        Ok(all)
    }

    /// One value for each of these columns of the key, as an `INSERT` names them.
    pub(crate) fn of_key(
        columns: Vec<(usize, Term)>,
        table: &Table,
        only_static: bool,
    ) -> Result<Self, Refusal> {
        let mut all = Self::default();
        for (column, value) in columns {
            let restriction = Restriction {
                columns: vec![column],
                is_multi: false,
                test: Test::Equal(super::TupleTerm::Each(vec![value])),
            };
            match table.columns.get(column).map(|it| it.kind) {
                Some(ColumnKind::PartitionKey) => all.partition.add(restriction, table)?,
                _ => all.clustering.add(restriction, table)?,
            }
        }
        let key = table.partition_key().iter().enumerate();
        let missing: Vec<&str> = key
            .filter(|(at, _)| all.partition.on(*at).is_none())
            .map(|(_, column)| &*column.name)
            .collect();
        if !missing.is_empty() {
            return Err(Refusal::invalid(format!(
                "Some partition key parts are missing: {}",
                missing.join(", ")
            )));
        }
        if !only_static {
            check_missing(table, &all.clustering)?;
        }
        all.usable = all.usable_count(table);
        Ok(all)
    }

    fn add_token(&mut self, test: TokenTest) -> Result<(), Refusal> {
        let is_lower = |it: &TokenTest| {
            matches!(
                it.comparison,
                Comparison::Greater | Comparison::GreaterOrEqual
            )
        };
        let is_equal = |it: &TokenTest| it.comparison == Comparison::Equal;
        for other in &self.token {
            if is_equal(other) || is_equal(&test) {
                return Err(Refusal::invalid(
                    "token cannot be restricted by more than one relation if it includes an Equal",
                ));
            }
            if is_lower(other) == is_lower(&test) {
                return Err(Refusal::invalid(
                    "More than one restriction was found for one bound on the token",
                ));
            }
        }
        self.token.push(test);
        Ok(())
    }

    fn add(
        &mut self,
        restriction: Restriction,
        table: &Table,
        about: About,
    ) -> Result<(), Refusal> {
        let kind = table
            .columns
            .get(restriction.first())
            .map_or(ColumnKind::Regular, |it| it.kind);
        match kind {
            ColumnKind::PartitionKey => self.partition.add(restriction, table),
            ColumnKind::Clustering => {
                let last = self.clustering.last().cloned();
                let is_indexed =
                    about.purpose == Purpose::Select && is_supported(&restriction, table);
                let (first, is_slice) = (restriction.first(), restriction.is_slice());
                self.clustering.add(restriction, table)?;
                match last {
                    Some(last) if !about.allow_filtering && !is_indexed => {
                        check_neighbours(table, &last, first, is_slice)
                    }
                    _ => Ok(()),
                }
            }
            ColumnKind::Static | ColumnKind::Regular => self.values.add(restriction, table),
        }
    }

    fn check(&mut self, table: &Table, about: About) -> Result<(), Refusal> {
        let is_select = about.purpose == Purpose::Select;
        let supported = |list: &Restrictions| list.iter().any(|it| is_supported(it, table));
        let has_clustering_index = is_select && supported(&self.clustering);
        let has_index = is_select
            && (has_clustering_index
                || about.is_nearest
                || supported(&self.partition)
                || supported(&self.values));
        let filtering_is_free =
            about.allow_filtering || KeyspaceKind::of(&table.keyspace) == KeyspaceKind::Virtual;
        self.check_vectors(table, about)?;
        self.check_partition(table, about, has_index, filtering_is_free)?;
        self.tests_partition = self.uses_index || self.filters_partition;
        if about.only_static && !self.clustering.is_empty() {
            return Err(Refusal::invalid(match about.purpose {
                Purpose::Select => {
                    "Cannot restrict clustering columns when selecting only static columns"
                        .to_owned()
                }
                other => format!(
                    "Invalid restrictions on clustering columns since the {} statement modifies only static columns",
                    other.name()
                ),
            }));
        }
        self.check_clustering(table, about, has_index, filtering_is_free)?;
        if self.is_range && has_clustering_index {
            self.uses_index = true;
        }
        self.tests_clustering = self.uses_index || self.usable < self.clustering.iter().count();
        if !self.values.is_empty() {
            if !is_select {
                let names = self.values.iter().flat_map(|it| it.columns_of(table));
                let names: Vec<&str> = names.map(|it| &*it.name).collect();
                return Err(Refusal::invalid(format!(
                    "Non PRIMARY KEY columns found in where clause: {} ",
                    names.join(", ")
                )));
            }
            if has_index {
                self.uses_index = true;
            } else if !filtering_is_free {
                return Err(Refusal::invalid(FILTERING));
            }
        }
        if self.uses_index && !about.is_nearest && self.partition.has_in() {
            return Err(Refusal::invalid(
                "Select on indexed columns and with IN clause for the PRIMARY KEY are not supported",
            ));
        }
        Ok(())
    }

    /// An index on vectors finds the nearest ones only.
    fn check_vectors(&self, table: &Table, about: About) -> Result<(), Refusal> {
        let has_index = |column: &Column| {
            let mut indexes = table.indexes.iter();
            indexes.any(|index| index.column == column.name)
        };
        let is_indexed = |it: &Restriction| {
            let mut columns = it.columns_of(table).into_iter();
            columns.any(|it| matches!(it.data_type, DataType::Vector { .. }) && has_index(it))
        };
        if about.purpose == Purpose::Select && self.values.iter().any(is_indexed) {
            return Err(Refusal::invalid("Vector indexes only support ANN queries"));
        }
        Ok(())
    }

    fn check_partition(
        &mut self,
        table: &Table,
        about: About,
        has_index: bool,
        filtering_is_free: bool,
    ) -> Result<(), Refusal> {
        if !self.token.is_empty() && !self.partition.is_empty() {
            return self.check_token_and_columns(table, about, has_index, filtering_is_free);
        }
        let key = table.partition_key();
        let missing: Vec<&str> = key
            .iter()
            .enumerate()
            .filter(|(at, _)| self.partition.on(*at).is_none())
            .map(|(_, column)| &*column.name)
            .collect();
        if about.purpose != Purpose::Select {
            let name = about.purpose.name();
            if !self.token.is_empty() {
                return Err(Refusal::invalid(format!(
                    "The token function cannot be used in WHERE clauses for {name} statements"
                )));
            }
            if !missing.is_empty() {
                return Err(Refusal::invalid(format!(
                    "Some partition key parts are missing: {}",
                    missing.join(", ")
                )));
            }
            if self.partition.has_slice() || self.partition.has_elements() {
                return Err(Refusal::invalid(format!(
                    "Only EQ and IN relation are supported on the partition key (unless you use the token() function) for {name} statements"
                )));
            }
            return Ok(());
        }
        if !self.token.is_empty() || self.partition.is_empty() {
            self.is_range = true;
            self.uses_index = has_index && self.token.is_empty();
            return Ok(());
        }
        let needs_filtering =
            !missing.is_empty() || self.partition.has_slice() || self.partition.has_elements();
        if needs_filtering {
            if !filtering_is_free && !has_index {
                return Err(Refusal::invalid(FILTERING));
            }
            self.is_range = true;
            self.uses_index = has_index;
            self.filters_partition = true;
        }
        Ok(())
    }

    /// Both the token and columns of the partition key: the token leads, and the columns are
    /// tested.
    fn check_token_and_columns(
        &mut self,
        table: &Table,
        about: About,
        has_index: bool,
        filtering_is_free: bool,
    ) -> Result<(), Refusal> {
        if about.purpose != Purpose::Select {
            return Err(Refusal::invalid(format!(
                "The token function cannot be used in WHERE clauses for {} statements",
                about.purpose.name()
            )));
        }
        let is_whole = (0..table.partition_key().len()).all(|at| self.partition.on(at).is_some());
        if !is_whole && !filtering_is_free && !has_index {
            return Err(Refusal::invalid(FILTERING));
        }
        if !is_whole || self.partition.has_slice() || self.partition.has_elements() {
            self.is_range = true;
        }
        self.filters_partition = true;
        Ok(())
    }

    fn check_clustering(
        &mut self,
        table: &Table,
        about: About,
        has_index: bool,
        filtering_is_free: bool,
    ) -> Result<(), Refusal> {
        if about.purpose == Purpose::Update {
            if self.clustering.has_slice() {
                return Err(Refusal::invalid(
                    "Slice restrictions are not supported on the clustering columns in UPDATE statements",
                ));
            }
            if !about.only_static {
                check_missing(table, &self.clustering)?;
            }
        }
        if self.clustering.has_elements() && !has_index && !filtering_is_free {
            return Err(Refusal::invalid(match about.purpose {
                Purpose::Select => {
                    "Clustering columns can only be restricted with CONTAINS with a secondary index or filtering"
                        .to_owned()
                }
                other => format!("Cannot use {} with CONTAINS", other.name()),
            }));
        }
        if self.usable < self.clustering.iter().count() {
            if has_index {
                self.uses_index = true;
            } else if !filtering_is_free {
                return Err(self.unrestricted(table));
            }
        }
        Ok(())
    }

    /// Which column is restricted although one before it is not.
    fn unrestricted(&self, table: &Table) -> Refusal {
        let restricted = self.clustering.iter().flat_map(|it| it.columns_of(table));
        for (column, restricted) in table.clustering().iter().zip(restricted) {
            if column.name != restricted.name {
                return Refusal::invalid(format!(
                    "PRIMARY KEY column \"{}\" cannot be restricted as preceding column \"{}\" is not restricted",
                    restricted.name, column.name
                ));
            }
        }
        Refusal::invalid(FILTERING)
    }

    /// How many of the restrictions on clustering columns find slices: on the first columns,
    /// without gaps, a slice at the end.
    fn usable_count(&self, table: &Table) -> usize {
        let mut next = table.partition_key().len();
        let mut usable = 0;
        for restriction in self.clustering.iter() {
            if restriction.first() != next || restriction.is_elements() {
                break;
            }
            usable += 1;
            if restriction.is_slice() {
                break;
            }
            next = restriction.last() + 1;
        }
        usable
    }

    /// The partitions to read.
    pub(crate) fn partitions(
        &self,
        table: &Table,
        values: &Values<'_>,
    ) -> Result<Partitions, Refusal> {
        if self.is_range {
            return self.token_range(values);
        }
        let keys = keys::partition_keys(&self.partition, table, values)?;
        if self.token.is_empty() {
            return keys::none_empty(keys).map(Partitions::Keys);
        }
        let mut bounds = Vec::new();
        for test in &self.token {
            bounds.push((test.comparison, token_value(test, values)?));
        }
        let is_inside = |key: &Vec<u8>| is_inside(&bounds, Token::of_partition_key(key).0);
        let inside = keys.into_iter().filter(is_inside).collect();
        keys::none_empty(inside).map(Partitions::Keys)
    }

    fn token_range(&self, values: &Values<'_>) -> Result<Partitions, Refusal> {
        let (mut first, mut last) = (i64::MIN, i64::MAX);
        for test in &self.token {
            let token = token_value(test, values)?;
            let (low, high) = match test.comparison {
                // The least token stands for the whole ring.
                Comparison::Equal if token == i64::MIN => (None, None),
                Comparison::Equal => (Some(token), Some(token)),
                // The least token is that of no key but the empty one.
                Comparison::Greater if token == i64::MIN => (None, None),
                Comparison::Greater if token == i64::MAX => return Ok(Partitions::None),
                Comparison::Greater => (Some(token + 1), None),
                Comparison::GreaterOrEqual => (Some(token), None),
                // The least token stands for the end of the ring where it is an upper bound.
                Comparison::Less | Comparison::LessOrEqual if token == i64::MIN => (None, None),
                Comparison::Less => (None, Some(token - 1)),
                Comparison::LessOrEqual | Comparison::NotEqual => (None, Some(token)),
            };
            first = first.max(low.unwrap_or(first));
            last = last.min(high.unwrap_or(last));
        }
        Ok(match first <= last {
            true => Partitions::Between(Token(first), Token(last)),
            false => Partitions::None,
        })
    }

    /// The rows to read in each partition.
    pub(crate) fn selected(&self, table: &Table, values: &Values<'_>) -> Result<Selected, Refusal> {
        clusterings::select(self.clustering.first(self.usable), table, values)
    }

    /// The rows to delete in each partition.
    pub(crate) fn deleted(&self, table: &Table, values: &Values<'_>) -> Result<Selected, Refusal> {
        clusterings::check_deletion(self.clustering.first(self.usable), table, values)?;
        self.selected(table, values)
    }

    /// The values of each clustering that is named whole.
    pub(crate) fn clustering_values(
        &self,
        table: &Table,
        values: &Values<'_>,
    ) -> Result<Vec<Vec<Option<Vec<u8>>>>, Refusal> {
        clusterings::named(self.clustering.first(self.usable), table, values)
    }

    /// What is left to test on each row.
    pub(crate) fn filter<'a>(
        &'a self,
        table: &Table,
        values: &'a Values<'_>,
    ) -> Result<Filter<'a>, Refusal> {
        let partition = self.partition.iter().filter(|_| self.filters_partition);
        let attached: Vec<&Restriction> = match self.uses_index {
            true => self.attached(table).collect(),
            false => Vec::new(),
        };
        if attached.is_empty() {
            let clustering = self.clustering.iter().skip(self.usable);
            let all = partition.chain(clustering).chain(self.values.iter());
            return Filter::new(all, table, values);
        }
        let columns = attached.iter().flat_map(|it| it.columns.iter().copied());
        // Beside values Cassandra tests everything again, by the plain order.
        let order = match self.values.is_empty() {
            true => AddressOrder::Index,
            false => AddressOrder::Both,
        };
        let clustering = self.tested_beside(&attached, table);
        let tested = partition.chain(clustering).chain(self.values.iter());
        let filter = Filter::default().without_empty(columns, table);
        filter.and(tested.map(|it| (it, order)), table, values)
    }

    /// What is tested of the clustering beside a storage-attached index: what the index answers, and
    /// what is not the beginning of a slice, where what the index answers does not count.
    fn tested_beside<'r>(
        &'r self,
        attached: &[&Restriction],
        table: &Table,
    ) -> impl Iterator<Item = &'r Restriction> {
        let mut next = table.partition_key().len();
        self.clustering.iter().filter(move |it| {
            let is_attached = attached.iter().any(|on| std::ptr::eq(*on, *it));
            let is_tested = is_attached || it.is_elements() || it.first() != next;
            if !is_tested && !it.is_slice() {
                next = it.last() + 1;
            }
            is_tested
        })
    }

    /// The restrictions that a storage-attached index answers.
    fn attached(&self, table: &Table) -> impl Iterator<Item = &Restriction> {
        let is_whole =
            |it: &Restriction| !self.filters_partition && it.first() < table.partition_key().len();
        self.indexable().filter(move |it| {
            let mut indexes = table.indexes.iter();
            !is_whole(it)
                && indexes.any(|index| index.is_storage_attached() && supports(index, it, table))
        })
    }

    /// Everything, as tests on rows: for tables that have no other way to find them.
    pub(crate) fn whole_filter<'a>(
        &'a self,
        table: &Table,
        values: &'a Values<'_>,
    ) -> Result<Filter<'a>, Refusal> {
        let key = self.partition.iter().chain(self.clustering.iter());
        Filter::new(key.chain(self.values.iter()), table, values)
    }

    /// Whether rows may be filtered without being asked: tables that are computed anyway.
    pub(crate) fn is_filtering_free(&self, table: &Table) -> bool {
        KeyspaceKind::of(&table.keyspace) == KeyspaceKind::Virtual
    }

    /// Whether rows are read that are then left out, which takes `ALLOW FILTERING`.
    pub(crate) fn needs_filtering(&self, table: &Table) -> bool {
        if !self.is_range && !self.uses_index {
            return false;
        }
        let filters = self.tested();
        if filters.is_empty() {
            return !self.clustering.is_empty();
        }
        !is_group_enough(&filters, table)
    }

    /// The restrictions that are tested on rows that an index or a walk has found.
    fn tested(&self) -> Vec<&Restriction> {
        let partition = self.partition.iter().filter(|_| self.tests_partition);
        let clustering = self.clustering.iter().filter(|_| self.tests_clustering);
        partition
            .chain(clustering)
            .chain(self.values.iter())
            .collect()
    }

    /// Whether a restriction that no index answers is tested on rows.
    pub(crate) fn filters_without_index(&self, table: &Table) -> bool {
        self.values.iter().any(|it| !is_supported(it, table))
    }

    /// Says that it takes `ALLOW FILTERING`.
    pub(crate) fn filtering_refused(&self) -> Refusal {
        Refusal::invalid(FILTERING)
    }

    /// Whether a partition with a static row and no others shows that row.
    pub(crate) fn shows_static_alone(&self, table: &Table) -> bool {
        let is_regular = |it: &Restriction| {
            let columns = it.columns_of(table);
            columns.iter().any(|it| it.kind == ColumnKind::Regular)
        };
        self.clustering.is_empty() && !self.values.iter().any(is_regular)
    }

    pub(crate) fn restricts_clustering(&self) -> bool {
        !self.clustering.is_empty()
    }

    pub(crate) fn restricts_regular(&self, table: &Table) -> bool {
        let is_regular = |it: &Restriction| {
            let columns = it.columns_of(table);
            columns.iter().any(|it| it.kind == ColumnKind::Regular)
        };
        self.values.iter().any(is_regular)
    }

    /// Whether every clustering column has one value or a list of values.
    pub(crate) fn is_whole_key(&self, table: &Table) -> bool {
        check_missing(table, &self.clustering).is_ok() && !self.clustering.has_slice()
    }

    /// Whether it names one partition by `=`, and no index is asked.
    pub(crate) fn names_one_partition(&self) -> bool {
        let is_equal = |it: &Restriction| matches!(it.test, Test::Equal(_));
        !self.is_range
            && !self.uses_index
            && self.token.is_empty()
            && self.partition.iter().all(is_equal)
    }

    /// Whether it names one row by `=` on every column of the key, and no index is asked.
    pub(crate) fn names_one_row(&self, table: &Table) -> bool {
        let is_equal = |it: &Restriction| matches!(it.test, Test::Equal(_));
        let clustering = self
            .clustering
            .iter()
            .map(|it| it.columns.len())
            .sum::<usize>();
        self.names_one_partition()
            && self.clustering.iter().all(is_equal)
            && clustering == table.clustering().len()
    }

    /// Whether any column of the partition key, or the token, is restricted.
    pub(crate) fn restricts_partition(&self) -> bool {
        self.partition.iter().next().is_some() || self.has_token()
    }

    /// Whether partitions are named by `IN`; not if it only narrows a range of tokens.
    pub(crate) fn has_partition_in(&self) -> bool {
        let is_on_token = self.is_range && self.has_token();
        self.partition.has_in() && !is_on_token
    }

    /// Whether clusterings are named by `IN`.
    pub(crate) fn has_clustering_in(&self) -> bool {
        self.clustering.has_in()
    }

    /// Whether a column is restricted to one value.
    pub(crate) fn is_equal(&self, column: usize) -> bool {
        let on = |list: &Restrictions| {
            let found = list.on(column);
            found.is_some_and(|it| matches!(it.test, Test::Equal(_)))
        };
        on(&self.partition) || on(&self.clustering)
    }

    /// Whether tokens are restricted.
    pub(crate) fn has_token(&self) -> bool {
        !self.token.is_empty()
    }

    /// All restrictions that an index may answer.
    pub(crate) fn indexable(&self) -> impl Iterator<Item = &Restriction> {
        let key = self.partition.iter().chain(self.clustering.iter());
        self.values.iter().chain(key)
    }
}

/// Whether the token of a key that is named lies within bounds. Those whose start lies above their
/// end go round the ring.
fn is_inside(bounds: &[(Comparison, i64)], token: i64) -> bool {
    let is_start = |it: Comparison| matches!(it, Comparison::Greater | Comparison::GreaterOrEqual);
    let holds = |(comparison, bound): &(Comparison, i64)| match comparison {
        Comparison::Equal => token == *bound,
        Comparison::Greater => token > *bound,
        Comparison::GreaterOrEqual => token >= *bound,
        Comparison::Less => token < *bound,
        Comparison::LessOrEqual | Comparison::NotEqual => token <= *bound,
    };
    let goes_round = match bounds {
        [(one, start), (_, end)] if is_start(*one) => start > end,
        [(_, end), (one, start)] if is_start(*one) => start > end,
        _ => false,
    };
    match goes_round {
        true => bounds.iter().any(holds),
        false => bounds.iter().all(holds),
    }
}

fn token_value(test: &TokenTest, values: &Values<'_>) -> Result<i64, Refusal> {
    match test.value.give(values)? {
        Given::Bytes(bytes) => {
            let bytes = bytes.first_chunk::<8>().copied();
            let bytes = bytes.ok_or_else(|| Refusal::invalid("Invalid empty token value"))?;
            Ok(i64::from_be_bytes(bytes))
        }
        Given::Null => Err(Refusal::invalid("Invalid null token value")),
        Given::Unset => Err(Refusal::invalid("Invalid unset token value")),
    }
}

fn check_neighbours(
    table: &Table,
    last: &Restriction,
    first: usize,
    is_slice: bool,
) -> Result<(), Refusal> {
    let name = |at: usize| table.columns.get(at).map_or("", |it| &*it.name);
    let blocked = (last.is_slice() && first > last.first()) || (is_slice && first < last.first());
    if blocked {
        return Err(Refusal::invalid(format!(
            "Clustering column \"{}\" cannot be restricted (preceding column \"{}\" is restricted by a non-EQ relation)",
            name(first.max(last.first())),
            name(first.min(last.first()))
        )));
    }
    Ok(())
}

fn check_missing(table: &Table, clustering: &Restrictions) -> Result<(), Refusal> {
    let start = table.partition_key().len();
    let missing: Vec<&str> = table
        .clustering()
        .iter()
        .enumerate()
        .filter(|(at, _)| clustering.on(start + at).is_none())
        .map(|(_, column)| &*column.name)
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(Refusal::invalid(format!(
            "Some clustering keys are missing: {}",
            missing.join(", ")
        ))),
    }
}

//! Executing reads and writes against the store.

use std::sync::Arc;

use stoa_cql::ast::BatchKind;
use stoa_session::Answer;
use stoa_session::bind::BoundValues;
use stoa_store::commit::group::Group;
use stoa_store::key::PartitionKey;
use stoa_store::mutation::PartitionUpdate;
use stoa_store::partition::Partition;
use stoa_store::{Outcome, StoreError, View};

use crate::at_once::ROWS_AT_ONCE;
use crate::catalog::Column;
use crate::consistency;
use crate::database::{Gate, Inner, Terms};
use crate::deadline::{Call, Effect};
use crate::derived::lookup::Lookup;
use crate::failure::Failure;
use crate::refusal::Refusal;
use crate::select::execute::Request;
use crate::select::{Order, Select};
use crate::statement::{Batch, Write, is_computed};
use crate::terms::Values;
use crate::write::conditional::{self, Form, Item, Known, Verdict};
use crate::write::execute::{Execution, Stored, Time};
use crate::write::{Modification, attributes, batch, size};

/// A write with the values of its variables.
pub(crate) type BoundWrite = (Arc<Modification>, BoundValues);

impl Inner {
    /// Reads from `view` if the caller has one, else from the newest.
    pub(crate) fn select(
        &self,
        select: &Select,
        bound: &BoundValues,
        terms: &Terms<'_>,
        at_once: Option<View>,
    ) -> Result<Answer, Failure> {
        consistency::check_read(terms.consistency)?;
        let values = self.values(bound);
        let (table, uses_index) = (select.table.store, select.rows.uses_index);
        let (needs_mark, derived) = self.with_plans(|plans| {
            let derived = uses_index.then(|| plans.of(table).cloned()).flatten();
            (plans.is_strict(table), derived)
        });
        let request = Request {
            now: self.now_seconds(),
            needs_mark,
            page_size: terms.page_size,
            most_rows: at_once.as_ref().map(|_| ROWS_AT_ONCE),
            at: terms.at,
            call: terms.call,
        };
        if is_computed(&select.table) {
            let rows = self.system_rows(&select.table.keyspace, &select.table.name);
            return select.execute_computed(&rows, &values, request);
        }
        let lookup = match &derived {
            Some(derived) => {
                Lookup::choose(derived, &select.rows, &values, |it| self.is_built(it))?
            }
            None => None,
        };
        // An index that was filled when it was chosen is filled in every later view.
        let view = at_once.map_or_else(|| self.store.view(), Ok)?;
        let lookup = lookup.filter(|it| it.is_in(&view));
        let mut answer = select.execute(&view, &values, request, lookup)?;
        if matches!(select.order, Order::Nearest(_)) {
            answer
                .warnings
                .extend(consistency::nearest_warning(terms.consistency));
        }
        Ok(answer)
    }

    pub(crate) fn write(
        self: &Arc<Self>,
        write: &Write,
        bound: &BoundValues,
        terms: &Terms<'_>,
        _gate: &Gate<'_>,
    ) -> Result<Answer, Failure> {
        let write = self.plain(write, bound)?;
        consistency::check_write(terms.consistency, &[&write])?;
        let timestamp = self.timestamp(terms)?;
        if !self.must_decide(&write) {
            let updates = self.updates(&write, bound, Time::Default(timestamp), None)?;
            size::check_mutations(&updates)?;
            terms.call.begin_effect(Effect::Plain)?;
            self.store.write(updates)?;
            return Ok(Answer::default());
        }
        let writes = vec![(write, bound.clone())];
        self.run(writes, timestamp, Form::Single, terms.call)
    }

    /// Whether what a write does depends on what is stored, or more follows from it.
    pub(crate) fn must_decide(&self, write: &Modification) -> bool {
        write.needs_reading() || self.has_derived(&write.table)
    }

    /// A write whose columns are known.
    pub(crate) fn plain(
        &self,
        write: &Write,
        bound: &BoundValues,
    ) -> Result<Arc<Modification>, Refusal> {
        match write {
            Write::Plain(write) => Ok(Arc::clone(write)),
            Write::Json(insert) => insert.modification(&self.values(bound)).map(Arc::new),
        }
    }

    /// The timestamp of a request: the client's, or the server's own.
    pub(crate) fn timestamp(&self, terms: &Terms<'_>) -> Result<i64, Refusal> {
        match terms.timestamp {
            Some(timestamp) => {
                attributes::check_timestamp(timestamp)?;
                Ok(timestamp)
            }
            None => Ok(self.timestamps.next(&*self.clock)),
        }
    }

    pub(crate) fn batch(
        self: &Arc<Self>,
        plan: &Batch,
        bound: &BoundValues,
        terms: &Terms<'_>,
        _gate: &Gate<'_>,
    ) -> Result<Answer, Failure> {
        let own = plan.attributes.timestamp(&self.values(bound))?;
        let timestamp = match own {
            Some(own) => own,
            None => self.timestamp(terms)?,
        };
        let mut writes = Vec::with_capacity(plan.writes.len());
        for write in &plan.writes {
            writes.push((self.plain(write, bound)?, bound.clone()));
        }
        self.run_batch(plan.kind, writes, timestamp, terms)
    }

    /// A batch of statements that came one by one.
    pub(crate) fn batch_of(
        self: &Arc<Self>,
        kind: BatchKind,
        writes: Vec<BoundWrite>,
        terms: &Terms<'_>,
        _gate: &Gate<'_>,
    ) -> Result<Answer, Failure> {
        let timestamp = self.timestamp(terms)?;
        self.run_batch(kind, writes, timestamp, terms)
    }

    fn run_batch(
        self: &Arc<Self>,
        kind: BatchKind,
        writes: Vec<BoundWrite>,
        timestamp: i64,
        terms: &Terms<'_>,
    ) -> Result<Answer, Failure> {
        let plain: Vec<&Modification> = writes.iter().map(|(it, _)| &**it).collect();
        consistency::check_write(terms.consistency, &plain)?;
        batch::check(kind, &plain)?;
        let warnings = match plain.iter().any(|it| it.is_conditional()) {
            true => Vec::new(),
            false => self.batch_warnings(kind, &writes)?,
        };
        let mut answer = self.run(writes, timestamp, Form::Batch, terms.call)?;
        answer.warnings.extend(warnings);
        Ok(answer)
    }

    fn batch_warnings(
        &self,
        kind: BatchKind,
        writes: &[BoundWrite],
    ) -> Result<Vec<String>, Failure> {
        if kind == BatchKind::Logged {
            return Ok(Vec::new());
        }
        let (mut tables, mut partitions) = (Vec::new(), Vec::new());
        for (write, bound) in writes {
            let name = format!("{}.{}", write.table.keyspace, write.table.name);
            for key in write.keys(&self.values(bound))? {
                if !partitions.contains(&key) {
                    partitions.push(key);
                }
            }
            if !tables.contains(&name) {
                tables.push(name);
            }
        }
        Ok(batch::warnings(kind, &tables, partitions.len()))
    }

    /// Executes writes as one.
    fn run(
        self: &Arc<Self>,
        writes: Vec<BoundWrite>,
        timestamp: i64,
        form: Form,
        call: &Call,
    ) -> Result<Answer, Failure> {
        if writes.iter().any(|(it, _)| it.is_conditional()) {
            return self.run_conditional(writes, form, call);
        }
        if !writes.iter().any(|(it, _)| self.must_decide(it)) {
            let mut updates = Vec::new();
            for (write, bound) in &writes {
                updates.extend(self.updates(write, bound, Time::Default(timestamp), None)?);
            }
            let warning = check_size(&writes, &updates, form)?;
            call.begin_effect(Effect::Plain)?;
            self.store.write(updates)?;
            return Ok(warned(warning));
        }
        call.begin_effect(Effect::Plain)?;
        let inner = Arc::clone(self);
        let done = self.store.decide(move |group| {
            let reading = Reading { group, known: None };
            let updates = inner.all_updates(&writes, Time::Default(timestamp), &reading);
            let sized = updates.and_then(|updates| {
                let warning = check_size(&writes, &updates, form)?;
                Ok((updates, warning))
            });
            match sized {
                Ok((updates, warning)) => {
                    let applied = inner.apply(group, Ok(updates))?;
                    Ok(applied.map(|()| warning))
                }
                Err(failure) => within_commit(failure),
            }
        })?;
        Ok(warned(done?))
    }

    fn all_updates(
        &self,
        writes: &[BoundWrite],
        time: Time,
        stored: &dyn Stored,
    ) -> Result<Vec<PartitionUpdate>, Failure> {
        let mut updates = Vec::new();
        for (write, bound) in writes {
            updates.extend(self.updates(write, bound, time, Some(stored))?);
        }
        Ok(updates)
    }

    pub(crate) fn updates(
        &self,
        write: &Modification,
        bound: &BoundValues,
        time: Time,
        stored: Option<&dyn Stored>,
    ) -> Result<Vec<PartitionUpdate>, Failure> {
        let execution = Execution {
            time,
            now: self.now_seconds(),
            places: self,
        };
        write.updates(&self.values(bound), &execution, stored)
    }

    /// Applies updates with everything that is derived from them. What is refused leaves nothing
    /// behind.
    fn apply(
        &self,
        group: &mut Group<'_>,
        updates: Result<Vec<PartitionUpdate>, Failure>,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let checked = updates.and_then(|updates| {
            self.plans().check(&updates)?;
            Ok(updates)
        });
        match checked {
            Ok(updates) => self.apply_derived(group, &updates).map(Ok),
            Err(failure) => within_commit(failure),
        }
    }

    fn run_conditional(
        self: &Arc<Self>,
        writes: Vec<BoundWrite>,
        form: Form,
        call: &Call,
    ) -> Result<Answer, Failure> {
        let key = self.only_partition(&writes)?;
        call.begin_effect(Effect::Conditional)?;
        let inner = Arc::clone(self);
        let decided = self.store.decide(move |group| {
            let own = inner.timestamps.next(&*inner.clock);
            let time = group.next_write_time_from(own)?;
            inner.timestamps.raise(time);
            match inner.judge(group, &writes, &key, form) {
                Ok(Verdict::Fails(rows)) => Ok(Ok(Some(rows))),
                Ok(Verdict::Holds) => {
                    let updates = inner.decided_updates(group, &writes, &key, form, time);
                    Ok(inner.apply(group, updates)?.map(|()| None))
                }
                Err(failure) => within_commit(failure),
            }
        })?;
        let rows = match decided? {
            Some(rows) => rows,
            None => conditional::applied()?,
        };
        Ok(Answer::of_rows(rows))
    }

    fn judge(
        &self,
        group: &Group<'_>,
        writes: &[BoundWrite],
        key: &PartitionKey,
        form: Form,
    ) -> Result<Verdict, Failure> {
        self.with_items(group, writes, key, |items, partition| {
            conditional::judge(items, partition, self.now_seconds(), form)
        })
    }

    /// The updates of conditional writes that happen.
    fn decided_updates(
        &self,
        group: &Group<'_>,
        writes: &[BoundWrite],
        key: &PartitionKey,
        form: Form,
        time: i64,
    ) -> Result<Vec<PartitionUpdate>, Failure> {
        let mut reading = Reading { group, known: None };
        if writes.iter().any(|(write, _)| write.depends_on_before()) {
            let known = self.with_items(group, writes, key, |items, partition| {
                Known::of(items, partition, self.now_seconds(), form)
            })?;
            reading.known = Some(known);
        }
        self.all_updates(writes, Time::Decided(time), &reading)
    }

    /// Calls with the writes of a conditional statement and the partition that they are about.
    fn with_items<T>(
        &self,
        group: &Group<'_>,
        writes: &[BoundWrite],
        key: &PartitionKey,
        call: impl FnOnce(&[Item<'_>], &Partition<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Some((first, _)) = writes.first() else {
            return Err(Refusal::server("a conditional statement without a write").into());
        };
        let values: Vec<_> = writes.iter().map(|(_, bound)| self.values(bound)).collect();
        let items: Vec<Item<'_>> = writes
            .iter()
            .zip(&values)
            .map(|((write, _), values)| (&**write, values))
            .collect();
        call(&items, &group.partition(first.table.store, key)?)
    }

    /// The one partition that a conditional statement or batch is about.
    fn only_partition(&self, writes: &[BoundWrite]) -> Result<PartitionKey, Failure> {
        let mut only: Option<(PartitionKey, &Modification)> = None;
        for (write, bound) in writes {
            for key in write.keys(&self.values(bound))? {
                match &only {
                    Some((_, other)) if other.table.store != write.table.store => {
                        return Err(Refusal::invalid(
                            "Batch with conditions cannot span multiple tables",
                        )
                        .into());
                    }
                    Some((other, _)) if *other != key => {
                        return Err(Refusal::invalid(
                            "Batch with conditions cannot span multiple partitions",
                        )
                        .into());
                    }
                    Some(_) => {}
                    None => only = Some((key, write)),
                }
            }
        }
        let only = only.map(|(key, _)| key);
        Ok(only.ok_or_else(|| Refusal::invalid("A conditional write names no partition"))?)
    }

    fn has_derived(&self, table: &crate::catalog::Table) -> bool {
        self.with_plans(|plans| plans.of(table.store).is_some())
    }

    fn apply_derived(
        &self,
        group: &mut Group<'_>,
        updates: &[PartitionUpdate],
    ) -> Result<(), StoreError> {
        let values = Values::none(self.environment());
        let plans = self.plans();
        plans.apply(group, updates, &values, self.now_seconds())
    }
}

/// What the author of writes should know of their size.
fn check_size(
    writes: &[BoundWrite],
    updates: &[PartitionUpdate],
    form: Form,
) -> Result<Option<String>, Failure> {
    size::check_mutations(updates)?;
    if form != Form::Batch {
        return Ok(None);
    }
    let tables: Vec<&crate::catalog::Table> = writes.iter().map(|(it, _)| &*it.table).collect();
    size::check_batch(updates, &tables)
}

/// An answer without rows.
fn warned(warning: Option<String>) -> Answer {
    Answer {
        warnings: warning.into_iter().collect(),
        ..Answer::default()
    }
}

/// A failure while a commit group is decided: a refusal is an answer, and the group goes on.
fn within_commit<T>(failure: Failure) -> Result<Result<T, Refusal>, StoreError> {
    match failure {
        Failure::Refused(refusal) => Ok(Err(refusal)),
        Failure::Store(error) => Err(error),
        // Nothing in a commit is brief.
        much @ Failure::TooMuch => Err(StoreError::Io {
            what: much.to_string(),
            outcome: Outcome::NotApplied,
        }),
        // Deadlines are looked at before a commit, never in it.
        late @ Failure::Late { outcome, .. } => Err(StoreError::Io {
            what: late.to_string(),
            outcome,
        }),
    }
}

/// What a commit group has so far.
struct Reading<'g, 's> {
    group: &'g Group<'s>,
    /// What is known of it; without this, everything.
    known: Option<Known>,
}

impl Stored for Reading<'_, '_> {
    fn partition(
        &self,
        write: &Modification,
        key: &PartitionKey,
    ) -> Result<Partition<'_>, StoreError> {
        self.group.partition(write.table.store, key)
    }

    fn has_row(&self, clustering: &[u8]) -> bool {
        self.known.as_ref().is_none_or(|it| it.has_row(clustering))
    }

    fn has_static(&self, column: &Column) -> bool {
        self.known
            .as_ref()
            .is_none_or(|it| it.has_static(column.id))
    }
}

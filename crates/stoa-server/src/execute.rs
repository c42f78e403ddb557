//! QUERY, PREPARE, EXECUTE and BATCH: from the bytes of a request to those of its answer.

use std::borrow::Cow;
use std::sync::Arc;

use stoa_engine::Embedded;
use stoa_session::{Answer, Batch, BatchKind, Body, Error, Prepared, Session, Statement};
use stoa_wire::prepared_id::{metadata_id, statement_id};
use stoa_wire::request::{self, BatchText, Execute, Parameters, Prepare, Query};
use stoa_wire::response::result::{PreparedResult, RowsMetadata};
use stoa_wire::response::{ErrorDetail, ErrorResponse, ResultResponse};
use stoa_wire::{
    Compression, DecodeError, Envelope, Extras, Flags, Header, Request, Response, Version,
    write_envelope,
};

use crate::answer::{self, Knowledge, specs};
use crate::prepared::Known;
use crate::server::Shared;
use crate::{failure, options};

/// What the requests of one connection are executed with.
pub(crate) struct Context {
    pub(crate) shared: Arc<Shared>,
    pub(crate) session: Embedded,
    pub(crate) version: Version,
    pub(crate) compression: Option<Compression>,
}

type Refused = ErrorResponse<'static>;

/// Executes a request and makes the envelope of its answer.
pub(crate) async fn respond(context: &Context, envelope: &Envelope) -> Vec<u8> {
    let stream = envelope.header.stream;
    match context.execute(envelope, stream).await {
        Ok(bytes) => bytes,
        Err(refused) => context.envelope(stream, &[], &Response::Error(refused)),
    }
}

/// An error that says that what was sent is no message.
pub(crate) fn protocol_error(message: impl Into<String>) -> Refused {
    failure::told(message.into(), ErrorDetail::Protocol)
}

fn malformed(error: &DecodeError) -> Refused {
    protocol_error(error.to_string())
}

fn refused(error: &Error) -> Refused {
    failure::response(error)
}

/// The bytes of a response; of an error instead, if it cannot be told.
pub(crate) fn envelope(
    version: Version,
    compression: Option<Compression>,
    stream: i16,
    warnings: &[String],
    response: &Response<'_>,
) -> Vec<u8> {
    let header = Header {
        version,
        flags: Flags::NONE,
        stream,
        opcode: response.opcode(),
    };
    let extras = Extras {
        warnings: warnings
            .iter()
            .map(|it| Cow::Borrowed(it.as_str()))
            .collect(),
        ..Extras::default()
    };
    let mut out = Vec::new();
    let written = write_envelope(&mut out, header, &extras, compression, |out| {
        response.write(out, version)
    });
    if let Err(problem) = written {
        let error = Response::Error(failure::told(problem.to_string(), ErrorDetail::Server));
        let header = Header {
            opcode: error.opcode(),
            ..header
        };
        // An error that was cut to be told can be told.
        let _ = write_envelope(&mut out, header, &Extras::default(), compression, |out| {
            error.write(out, version)
        });
    }
    out
}

impl Context {
    fn envelope(&self, stream: i16, warnings: &[String], response: &Response<'_>) -> Vec<u8> {
        envelope(self.version, self.compression, stream, warnings, response)
    }

    async fn execute(&self, envelope: &Envelope, stream: i16) -> Result<Vec<u8>, Refused> {
        let (_, body) = envelope.parts().map_err(|error| malformed(&error))?;
        let request = Request::read(envelope.header.opcode, self.version, body);
        match request.map_err(|error| malformed(&error))? {
            Some(Request::Query(query)) => {
                let answer = self.query(&query).await?;
                let knowledge = match query.parameters.skips_metadata {
                    true => Knowledge::Skips,
                    false => Knowledge::Nothing,
                };
                Ok(self.answer(stream, &answer, knowledge))
            }
            Some(Request::Prepare(prepare)) => {
                let (id, known) = self.prepare(&prepare).await?;
                Ok(self.prepared(stream, &id, &known))
            }
            Some(Request::Execute(execute)) => {
                let known = self.known(&execute.id)?;
                let answer = self.execute_prepared(&execute, &known).await?;
                let knowledge = Knowledge::Columns {
                    columns: known.prepared.columns(),
                    id: &known.metadata_id,
                    named: execute.result_metadata_id.as_deref(),
                    skips: execute.parameters.skips_metadata,
                };
                Ok(self.answer(stream, &answer, knowledge))
            }
            Some(Request::Batch(batch)) => {
                let answer = self.batch(&batch).await?;
                Ok(self.answer(stream, &answer, Knowledge::Nothing))
            }
            _ => Err(protocol_error("the request cannot be executed")),
        }
    }

    /// The envelope of an answer. A change of the schema is told to everyone who asked for it.
    fn answer(&self, stream: i16, answer: &Answer, knowledge: Knowledge<'_>) -> Vec<u8> {
        if let Body::ChangedSchema(change) = &answer.body {
            // Nobody may be listening.
            let _ = self.shared.changes.send(change.clone());
        }
        let result = answer::result(answer, knowledge);
        self.envelope(stream, &answer.warnings, &Response::Result(result))
    }

    /// A session in the keyspace of a request, or that of the connection.
    fn session(&self, keyspace: Option<&str>) -> Embedded {
        match keyspace {
            Some(keyspace) => self.shared.database.session_in(keyspace),
            None => self.session.clone(),
        }
    }

    async fn query(&self, query: &Query<'_>) -> Result<Answer, Refused> {
        let Parameters {
            bindings, moment, ..
        } = &query.parameters;
        let options = options::of_parameters(&query.parameters)?;
        let at = options::page(&query.parameters);
        let session = self.session(moment.keyspace.as_deref());
        if options::is_empty(bindings) {
            let statement = Statement::new(&*query.text).with(options);
            let answer = session.run(&statement, at.as_ref()).await;
            return answer.map_err(|error| refused(&error));
        }
        let prepared = session.prepare(&query.text).await;
        let prepared = prepared.map_err(|error| refused(&error))?;
        let values = options::bound(bindings, prepared.variables())?;
        let bound = prepared.bind(values);
        let bound = bound.map_err(|error| refused(&error.into()))?.with(options);
        let answer = session.execute(&bound, at.as_ref()).await;
        answer.map_err(|error| refused(&error))
    }

    async fn prepare(&self, prepare: &Prepare<'_>) -> Result<(Vec<u8>, Arc<Known>), Refused> {
        let session = self.session(prepare.keyspace.as_deref());
        let prepared = session.prepare(&prepare.text).await;
        let prepared = prepared.map_err(|error| refused(&error))?;
        let mut keyspace = session.keyspace();
        if keyspace.is_some() && self.needs_no_keyspace(&prepared).await {
            // As since CASSANDRA-15252: the id is the same whatever keyspace is in use.
            keyspace = None;
        }
        let id = statement_id(keyspace.as_deref(), &prepare.text);
        let metadata_id = metadata_id(&specs(prepared.columns()));
        let known = Arc::new(Known {
            prepared,
            metadata_id,
        });
        self.shared.prepared.keep(id, Arc::clone(&known));
        Ok((id.to_vec(), known))
    }

    /// Whether a statement names the keyspace of its table.
    async fn needs_no_keyspace(&self, prepared: &Prepared) -> bool {
        if prepared.variables().is_empty() && prepared.columns().is_empty() {
            return false;
        }
        let anywhere = self.shared.database.session();
        anywhere.prepare(prepared.text()).await.is_ok()
    }

    fn prepared(&self, stream: i16, id: &[u8], known: &Known) -> Vec<u8> {
        let prepared = &known.prepared;
        let key = prepared.partition_key().iter();
        let result = PreparedResult {
            id: Cow::Borrowed(id),
            result_metadata_id: match self.version {
                Version::V4 => None,
                Version::V5 => Some(Cow::Borrowed(known.metadata_id.as_slice())),
            },
            variables: specs(prepared.variables()),
            partition_key: key.filter_map(|it| u16::try_from(*it).ok()).collect(),
            result: match prepared.columns() {
                [] => RowsMetadata::none(),
                columns => RowsMetadata::of_columns(specs(columns)),
            },
        };
        let result = ResultResponse::Prepared(Box::new(result));
        self.envelope(stream, &[], &Response::Result(result))
    }

    /// What was prepared under an id.
    fn known(&self, id: &[u8]) -> Result<Arc<Known>, Refused> {
        self.shared.prepared.get(id).ok_or_else(|| {
            let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
            let message = format!(
                "Prepared query with ID {hex} not found (either the query was not prepared on this \
                 host (maybe the host has been restarted?) or you have prepared too many queries and \
                 it has been evicted from the internal cache)"
            );
            failure::told(message, ErrorDetail::Unprepared(Cow::Owned(id.to_vec())))
        })
    }

    async fn execute_prepared(
        &self,
        execute: &Execute<'_>,
        known: &Known,
    ) -> Result<Answer, Refused> {
        let options = options::of_parameters(&execute.parameters)?;
        let at = options::page(&execute.parameters);
        let prepared = &known.prepared;
        let values = options::bound(&execute.parameters.bindings, prepared.variables())?;
        let bound = prepared.bind(values);
        let bound = bound.map_err(|error| refused(&error.into()))?.with(options);
        let answer = self.session.execute(&bound, at.as_ref()).await;
        answer.map_err(|error| refused(&error))
    }

    async fn batch(&self, batch: &request::Batch<'_>) -> Result<Answer, Refused> {
        let options = options::of_moment(batch.consistency, &batch.moment)?;
        let session = self.session(batch.moment.keyspace.as_deref());
        let kind = match batch.kind {
            request::BatchKind::Logged => BatchKind::Logged,
            request::BatchKind::Unlogged => BatchKind::Unlogged,
            request::BatchKind::Counter => BatchKind::Counter,
        };
        let mut all = Batch::new(kind).with(options);
        for statement in &batch.statements {
            let prepared = match &statement.text {
                BatchText::Text(text) if statement.values.is_empty() => {
                    all.push_text(text.as_ref());
                    continue;
                }
                BatchText::Text(text) => {
                    let prepared = session.prepare(text).await;
                    prepared.map_err(|error| refused(&error))?
                }
                BatchText::Prepared(id) => self.known(id)?.prepared.clone(),
            };
            let values = options::positional(&statement.values, prepared.variables())?;
            let bound = prepared.bind(values);
            all.push(bound.map_err(|error| refused(&error.into()))?);
        }
        let answer = session.batch(&all).await;
        answer.map_err(|error| refused(&error))
    }
}

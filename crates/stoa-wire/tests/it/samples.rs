//! Random messages of every kind, with everything that a version has a place for.

use std::borrow::Cow;
use std::net::IpAddr;

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::strategy::Union;
use stoa_types::DataType;
use stoa_types::data_type::{UserField, UserType};
use stoa_wire::request::parameters::Moment;
use stoa_wire::request::{
    AuthResponse, Batch, BatchKind, BatchStatement, BatchText, Bindings, Execute, Parameters,
    Prepare, Query, Register, Startup,
};
use stoa_wire::response::error::{Answers, Failures};
use stoa_wire::response::event::{StatusChange, TopologyChange};
use stoa_wire::response::result::{ColumnSpec, PreparedResult, RowsMetadata, RowsResult};
use stoa_wire::response::{
    AuthChallenge, AuthSuccess, Authenticate, Change, ErrorDetail, ErrorResponse, Event, EventKind,
    ResultResponse, SchemaChange, SchemaTarget, Supported,
};
use stoa_wire::types::{BoundValue, Consistency, Endpoint, WriteType};
use stoa_wire::{Request, Response, Version};

type Text = Cow<'static, str>;
type Bytes = Cow<'static, [u8]>;

pub(crate) fn version() -> impl Strategy<Value = Version> {
    prop::sample::select(&Version::ALL[..])
}

pub(crate) fn text() -> impl Strategy<Value = Text> {
    prop_oneof!["[a-z_]{0,12}", "\\PC{0,8}"].prop_map(Cow::Owned)
}

fn bytes() -> impl Strategy<Value = Bytes> {
    vec(any::<u8>(), 0..24).prop_map(Cow::Owned)
}

fn value() -> impl Strategy<Value = BoundValue<'static>> {
    prop_oneof![
        4 => bytes().prop_map(BoundValue::Bytes),
        1 => Just(BoundValue::Null),
        1 => Just(BoundValue::Unset),
    ]
}

fn consistency() -> impl Strategy<Value = Consistency> {
    // Drivers do not know the last one, which is for nodes among themselves.
    prop::sample::select(&Consistency::ALL[..11])
}

fn moment(version: Version) -> impl Strategy<Value = Moment<'static>> {
    let serial = prop::sample::select(vec![Consistency::Serial, Consistency::LocalSerial]);
    let later = of((text(), any::<i32>()));
    (of(serial), of(-(1_i64 << 60)..1 << 60), later).prop_map(move |(serial, time, later)| {
        let (keyspace, now) = later.filter(|_| version > Version::V4).unzip();
        Moment {
            serial_consistency: serial,
            timestamp_micros: time,
            keyspace,
            now_in_seconds: now,
        }
    })
}

fn bindings() -> impl Strategy<Value = Bindings<'static>> {
    prop_oneof![
        vec(value(), 0..5).prop_map(Bindings::Positional),
        vec((text(), value()), 1..5).prop_map(Bindings::Named),
    ]
}

fn parameters(version: Version) -> impl Strategy<Value = Parameters<'static>> {
    let pages = (any::<bool>(), of(any::<i32>()), of(bytes()));
    (consistency(), bindings(), pages, moment(version)).prop_map(
        |(consistency, bindings, (skips_metadata, page_size, paging_state), moment)| Parameters {
            consistency,
            bindings,
            skips_metadata,
            page_size,
            paging_state,
            moment,
        },
    )
}

fn batch(version: Version) -> impl Strategy<Value = Request<'static>> {
    let kind = prop::sample::select(vec![
        BatchKind::Logged,
        BatchKind::Unlogged,
        BatchKind::Counter,
    ]);
    let text = prop_oneof![
        text().prop_map(BatchText::Text),
        bytes().prop_map(BatchText::Prepared),
    ];
    let statement =
        (text, vec(value(), 0..4)).prop_map(|(text, values)| BatchStatement { text, values });
    let statements = vec(statement, 0..5);
    (kind, statements, consistency(), moment(version)).prop_map(
        |(kind, statements, consistency, moment)| {
            Request::Batch(Batch {
                kind,
                statements,
                consistency,
                moment,
            })
        },
    )
}

pub(crate) fn request(version: Version) -> impl Strategy<Value = Request<'static>> {
    let is_new = version > Version::V4;
    let kinds = vec![EventKind::Topology, EventKind::Status, EventKind::Schema];
    let kinds = prop::sample::subsequence(kinds, 0..=3);
    prop_oneof![
        vec((text(), text()), 0..4).prop_map(|options| Request::Startup(Startup { options })),
        Just(Request::Options),
        of(bytes()).prop_map(|token| Request::AuthResponse(AuthResponse { token })),
        kinds.prop_map(|kinds| Request::Register(Register { kinds })),
        (text(), parameters(version))
            .prop_map(|(text, parameters)| Request::Query(Query { text, parameters })),
        (text(), of(text())).prop_map(move |(text, keyspace)| Request::Prepare(Prepare {
            text,
            keyspace: keyspace.filter(|_| is_new),
        })),
        (bytes(), bytes(), parameters(version)).prop_map(move |(id, result, parameters)| {
            Request::Execute(Execute {
                id,
                result_metadata_id: is_new.then_some(result),
                parameters,
            })
        }),
        batch(version),
    ]
}

/// Types as the protocol can tell them, so that they are read back as they were.
fn data_type() -> impl Strategy<Value = DataType> {
    let native: Vec<_> = DataType::NATIVE.to_vec();
    let vector = DataType::Custom(DataType::vector(DataType::Float, 3).class_name());
    let leaf = prop_oneof![6 => prop::sample::select(native), 1 => Just(vector)];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let field = (text(), inner.clone()).prop_map(|(name, data_type)| UserField {
            name: name.into_owned(),
            data_type,
        });
        let user = (text(), text(), vec(field, 0..3)).prop_map(|(keyspace, name, fields)| {
            DataType::UserDefined(Box::new(UserType {
                keyspace: keyspace.into_owned(),
                name: name.into_owned(),
                fields,
                is_frozen: false,
            }))
        });
        prop_oneof![
            inner.clone().prop_map(DataType::list),
            inner.clone().prop_map(DataType::set),
            (inner.clone(), inner.clone()).prop_map(|(key, value)| DataType::map(key, value)),
            vec(inner, 0..3).prop_map(DataType::Tuple),
            user,
        ]
    })
}

fn columns(least: usize) -> impl Strategy<Value = Vec<ColumnSpec<'static>>> {
    let place = || (text(), text());
    let column = (place(), text(), data_type());
    (of(place()), vec(column, least..4)).prop_map(|(shared, columns)| {
        let column = |(own, name, data_type): ((Text, Text), Text, DataType)| {
            let (keyspace, table) = shared.clone().unwrap_or(own);
            ColumnSpec {
                keyspace,
                table,
                name,
                data_type: Cow::Owned(data_type),
            }
        };
        columns.into_iter().map(column).collect()
    })
}

fn metadata(version: Version) -> impl Strategy<Value = RowsMetadata<'static>> {
    let pages = (any::<bool>(), of(bytes()), of(bytes()));
    (columns(1), pages).prop_map(
        move |(columns, (is_known, paging_state, new_id))| RowsMetadata {
            count: columns.len(),
            columns: Some(columns).filter(|_| !is_known),
            paging_state,
            new_id: new_id.filter(|_| version > Version::V4 && !is_known),
        },
    )
}

fn rows(version: Version) -> impl Strategy<Value = ResultResponse<'static>> {
    let cells = vec(of(bytes()), 0..12);
    (metadata(version), cells).prop_map(|(metadata, cells)| {
        let count = cells.len() / metadata.count;
        let mut content = Vec::new();
        for cell in cells.iter().take(count * metadata.count) {
            let length = cell
                .as_ref()
                .map_or(-1, |it| i32::try_from(it.len()).unwrap());
            content.extend_from_slice(&length.to_be_bytes());
            content.extend_from_slice(cell.as_deref().unwrap_or_default());
        }
        ResultResponse::Rows(RowsResult {
            metadata,
            count,
            content: Cow::Owned(content),
        })
    })
}

fn prepared(version: Version) -> impl Strategy<Value = ResultResponse<'static>> {
    let result = prop_oneof![
        Just(RowsMetadata::none()),
        columns(1).prop_map(RowsMetadata::of_columns),
    ];
    let variables = (columns(0), vec(0..9_u16, 0..3));
    (bytes(), bytes(), variables, result).prop_map(
        move |(id, metadata_id, (variables, partition_key), result)| {
            ResultResponse::Prepared(Box::new(PreparedResult {
                id,
                result_metadata_id: Some(metadata_id).filter(|_| version > Version::V4),
                variables,
                partition_key,
                result,
            }))
        },
    )
}

fn schema_change() -> impl Strategy<Value = SchemaChange<'static>> {
    let change = prop::sample::select(vec![Change::Created, Change::Updated, Change::Dropped]);
    let types = || vec(text(), 0..3);
    let target = prop_oneof![
        Just(SchemaTarget::Keyspace),
        text().prop_map(SchemaTarget::Table),
        text().prop_map(SchemaTarget::UserType),
        (text(), types()).prop_map(|(name, types)| SchemaTarget::Function(name, types)),
        (text(), types()).prop_map(|(name, types)| SchemaTarget::Aggregate(name, types)),
    ];
    (change, text(), target).prop_map(|(change, keyspace, target)| SchemaChange {
        change,
        keyspace,
        target,
    })
}

fn event() -> impl Strategy<Value = Event<'static>> {
    let node =
        || (any::<IpAddr>(), 0..65_536).prop_map(|(address, port)| Endpoint { address, port });
    let topology = vec![
        TopologyChange::NewNode,
        TopologyChange::RemovedNode,
        TopologyChange::MovedNode,
    ];
    let status = vec![StatusChange::Up, StatusChange::Down];
    prop_oneof![
        (prop::sample::select(topology), node()).prop_map(|(it, node)| Event::Topology(it, node)),
        (prop::sample::select(status), node()).prop_map(|(it, node)| Event::Status(it, node)),
        schema_change().prop_map(Event::Schema),
    ]
}

fn answers() -> impl Strategy<Value = Answers> {
    (consistency(), any::<i32>(), any::<i32>()).prop_map(|(consistency, received, required)| {
        Answers {
            consistency,
            received,
            required,
        }
    })
}

fn failures(version: Version) -> Union<BoxedStrategy<Failures>> {
    let reasons = vec((any::<IpAddr>(), any::<u16>()), 0..4);
    Union::new([match version {
        Version::V4 => any::<i32>().prop_map(Failures::Count).boxed(),
        Version::V5 => reasons.prop_map(Failures::Reasons).boxed(),
    }])
}

fn write_type() -> impl Strategy<Value = WriteType> {
    prop::sample::select(WriteType::WORDS.map(|(known, _)| known).to_vec())
}

fn detail(version: Version) -> impl Strategy<Value = ErrorDetail<'static>> {
    let simple = vec![
        ErrorDetail::Server,
        ErrorDetail::Protocol,
        ErrorDetail::BadCredentials,
        ErrorDetail::Overloaded,
        ErrorDetail::Bootstrapping,
        ErrorDetail::Truncate,
        ErrorDetail::CdcWriteFailure,
        ErrorDetail::Syntax,
        ErrorDetail::Unauthorized,
        ErrorDetail::Invalid,
        ErrorDetail::Configuration,
    ];
    let unavailable = answers().prop_map(|it| ErrorDetail::Unavailable {
        consistency: it.consistency,
        required: it.required,
        alive: it.received,
    });
    let write_timeout = (answers(), write_type(), any::<u16>());
    let write_timeout = write_timeout.prop_map(move |(answers, write_type, many)| {
        let is_told = version > Version::V4 && write_type == WriteType::Cas;
        ErrorDetail::WriteTimeout {
            answers,
            write_type,
            contentions: is_told.then_some(many),
        }
    });
    let read_failure = (answers(), failures(version), any::<bool>());
    let write_failure = (answers(), failures(version), write_type());
    prop_oneof![
        4 => prop::sample::select(simple),
        1 => unavailable,
        1 => write_timeout,
        1 => (answers(), any::<bool>())
            .prop_map(|(answers, has_data)| ErrorDetail::ReadTimeout { answers, has_data }),
        1 => read_failure.prop_map(|(answers, failures, has_data)| ErrorDetail::ReadFailure {
            answers,
            failures,
            has_data,
        }),
        1 => (text(), text(), vec(text(), 0..3)).prop_map(|(keyspace, function, types)| {
            ErrorDetail::FunctionFailure { keyspace, function, argument_types: types }
        }),
        1 => write_failure.prop_map(|(answers, failures, write_type)| ErrorDetail::WriteFailure {
            answers,
            failures,
            write_type,
        }),
        1 => answers().prop_map(ErrorDetail::CasWriteUnknown),
        1 => (text(), text())
            .prop_map(|(keyspace, table)| ErrorDetail::AlreadyExists { keyspace, table }),
        1 => bytes().prop_map(ErrorDetail::Unprepared),
    ]
}

pub(crate) fn response(version: Version) -> impl Strategy<Value = Response<'static>> {
    let result = prop_oneof![
        Just(ResultResponse::Void),
        rows(version),
        text().prop_map(ResultResponse::SetKeyspace),
        prepared(version),
        schema_change().prop_map(ResultResponse::SchemaChange),
    ];
    prop_oneof![
        3 => (text(), detail(version))
            .prop_map(|(message, detail)| Response::Error(ErrorResponse { message, detail })),
        1 => Just(Response::Ready),
        1 => text().prop_map(|class| Response::Authenticate(Authenticate { class })),
        1 => vec((text(), vec(text(), 0..3)), 0..3)
            .prop_map(|options| Response::Supported(Supported { options })),
        5 => result.prop_map(Response::Result),
        2 => event().prop_map(Response::Event),
        1 => of(bytes()).prop_map(|token| Response::AuthChallenge(AuthChallenge { token })),
        1 => of(bytes()).prop_map(|token| Response::AuthSuccess(AuthSuccess { token })),
    ]
}

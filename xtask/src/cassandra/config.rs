//! What a node is started with: `cassandra.yaml`, `logback.xml`, the flags of the JVM.
//!
//! Pure functions from [`Settings`]. Whatever a CQL client can notice stays as Cassandra ships
//! it, since answers are recorded from these nodes; what is changed is named below.

use std::path::Path;

use anyhow::Result;

use super::certificate::{KEY_STORE, STORE_PASSWORD};
use super::install::Installation;
use super::settings::{CommitLogSync, Schema, Settings, Size, host};

/// Tokens of each node, as shipped.
const TOKENS: u8 = 16;
/// Where the server starts.
const MAIN_CLASS: &str = "org.apache.cassandra.service.CassandraDaemon";

/// Whom a node asks about the others when it starts. Itself is always among them, or it would
/// refuse to start while nobody else runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seeds {
    /// For the start of a whole cluster: nobody is asked who cannot be there yet.
    StartedBefore,
    /// For the start of one node: any of the others may be dead.
    All,
}

/// `cassandra.yaml` of one node. Cassandra refuses keys that it does not know.
pub(crate) fn yaml(settings: &Settings, node: u8, seeds: Seeds) -> String {
    let address = host(node);
    let last_seed = match seeds {
        Seeds::StartedBefore => node,
        Seeds::All => settings.size.count(),
    };
    let seeds: Vec<String> = (1..=last_seed).map(|seed| host(seed).to_string()).collect();
    let mut yaml = format!(
        "# Written by cargo xtask cassandra; changed by the next `up`.
cluster_name: stoa
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters:
      - seeds: \"{}\"
listen_address: {address}
rpc_address: {address}
storage_port: {}
native_transport_port: {}
start_native_transport: true
# Every node has its tokens from us, evenly spread, and joins without copying data: there is
# none yet, and copying waits for gossip that may come too late on a busy machine.
num_tokens: {TOKENS}
initial_token: {}
auto_bootstrap: false
disk_failure_policy: stop
commit_failure_policy: stop
# The default of 5.0, pinned because clients notice it: a TTL may not reach past 2038.
storage_compatibility_mode: CASSANDRA_4
# Off as shipped; the scripts ask for them.
materialized_views_enabled: true
user_defined_functions_enabled: true
sasi_indexes_enabled: true
# DROP and TRUNCATE would otherwise link every file.
auto_snapshot: false
# Small and quick rather than strong.
memtable_heap_space: 128MiB
memtable_offheap_space: 128MiB
key_cache_size: 8MiB
file_cache_size: 64MiB
networking_cache_size: 32MiB
concurrent_compactors: 1
",
        seeds.join(","),
        settings.storage_port(),
        settings.port,
        tokens(settings.size, node),
    );
    yaml.push_str(match settings.sync {
        CommitLogSync::Periodic => PERIODIC,
        CommitLogSync::Batch => "commitlog_sync: batch\n",
    });
    if settings.size == Size::Three {
        yaml.push_str(SHORT_TIMEOUTS);
    }
    if settings.tls {
        yaml.push_str(&encryption(settings));
    }
    if settings.auth {
        yaml.push_str(LOGINS);
        if settings.size == Size::One {
            yaml.push_str(FRESH_ROLES);
        }
    }
    yaml
}

const PERIODIC: &str = "commitlog_sync: periodic\ncommitlog_sync_period: 10000ms\n";

/// With two nodes of three gone, an answer must come within 2 s.
const SHORT_TIMEOUTS: &str = "\
request_timeout: 1500ms
read_request_timeout: 1500ms
range_request_timeout: 1500ms
write_request_timeout: 1500ms
counter_write_request_timeout: 1500ms
cas_contention_timeout: 1000ms
";

/// A port for clients that encrypt; the plain one stays, for who asks whether the node answers.
fn encryption(settings: &Settings) -> String {
    format!(
        "\
native_transport_port_ssl: {}
client_encryption_options:
  enabled: true
  optional: false
  keystore: {KEY_STORE}
  keystore_password: {STORE_PASSWORD}
  require_client_auth: false
",
        settings.encrypted_port()
    )
}

const LOGINS: &str = "\
authenticator: PasswordAuthenticator
authorizer: CassandraAuthorizer
role_manager: CassandraRoleManager
";

/// A GRANT is seen at once rather than after two seconds. Not on three nodes: there a role that
/// must be read again needs a quorum, and a fault would show as a refused login.
const FRESH_ROLES: &str = "\
permissions_validity: 100ms
roles_validity: 100ms
credentials_validity: 100ms
";

/// Tokens `node`, `node + size`, ... of a ring cut into equal parts.
fn tokens(size: Size, node: u8) -> String {
    let parts = i128::from(size.count()) * i128::from(TOKENS);
    let step = (1_i128 << 64) / parts;
    let token = |turn: u8| {
        let part = i128::from(turn) * i128::from(size.count()) + i128::from(node) - 1;
        (i128::from(i64::MIN) + part * step).to_string()
    };
    let tokens: Vec<String> = (0..TOKENS).map(token).collect();
    tokens.join(",")
}

/// Logs to one file, which every start of the node continues.
pub(crate) fn logback(log: &Path) -> String {
    format!(
        r#"<!-- Written by cargo xtask cassandra. -->
<configuration>
  <appender name="FILE" class="ch.qos.logback.core.FileAppender">
    <file>{}</file>
    <encoder><pattern>%-5level [%thread] %date{{ISO8601}} %F:%L - %msg%n</pattern></encoder>
  </appender>
  <root level="INFO"><appender-ref ref="FILE"/></root>
</configuration>
"#,
        log.display()
    )
}

/// The word on a node's command line that no other process has.
pub(crate) fn mark(folder: &Path) -> String {
    format!(
        "-Dcassandra.config=file:{}",
        folder.join("cassandra.yaml").display()
    )
}

/// Everything after `java`.
pub(crate) fn arguments(
    settings: &Settings,
    folder: &Path,
    installation: &Installation,
) -> Result<Vec<String>> {
    let path = |name: &str| folder.join(name).display().to_string();
    let mut arguments = vec![
        format!("-javaagent:{}", installation.agent()?.display()),
        format!("-Xmx{}m", heap_mebibytes(settings.size)),
        mark(folder),
        format!("-Dcassandra.storagedir={}", path("data")),
        format!("-Dcassandra.triggers_dir={}", path("triggers")),
        format!("-Dlogback.configurationFile={}", path("logback.xml")),
        format!(
            "-Dcassandra.system_auth.default_rf={}",
            settings.size.count()
        ),
    ];
    arguments.extend(FLAGS.iter().map(ToString::to_string));
    if settings.schema == Schema::Forgotten {
        arguments.push("-Dcassandra.unsafesystem=true".to_owned());
    }
    for package in EXPORTS {
        arguments.push(format!("--add-exports={package}=ALL-UNNAMED"));
    }
    for package in OPENS {
        arguments.push(format!("--add-opens={package}=ALL-UNNAMED"));
    }
    arguments.extend([
        "-cp".to_owned(),
        installation.class_path(),
        MAIN_CLASS.to_owned(),
    ]);
    Ok(arguments)
}

/// Three nodes share the machine.
fn heap_mebibytes(size: Size) -> u32 {
    match size {
        Size::One => 1024,
        Size::Three => 768,
    }
}

/// Flags of every node. The compiler that starts quickest, and a collector without threads of
/// its own, halve the processor time of a start. A class archive would save another second, but
/// costs a clean stop to make, and flags that Java calls diagnostic.
const FLAGS: &[&str] = &[
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xms256m",
    "-Xss512k",
    "-Djdk.attach.allowAttachSelf=true",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dcassandra-foreground=yes",
    "-Dcassandra.skip_wait_for_gossip_to_settle=0",
    "-Dcassandra.ring_delay_ms=1000",
    "-Dcassandra.shutdown_announce_in_ms=0",
    // What it would otherwise measure anew at every start, for more than a second.
    "-Dcassandra.memtable.row_overhead_size=180",
    // The default user appears as soon as enough nodes are there, rather than 10 s later.
    "-Dcassandra.superuser_setup_delay_ms=500",
    "-Dcassandra.auth_bcrypt_gensalt_log2_rounds=4",
];

/// As in Cassandra's own options for Java 17.
const EXPORTS: &[&str] = &[
    "java.base/jdk.internal.misc",
    "java.base/java.lang.ref",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.management.rmi/com.sun.jmx.remote.internal.rmi",
    "java.management/com.sun.jmx.remote.security",
    "java.rmi/sun.rmi.registry",
    "java.rmi/sun.rmi.server",
    "java.rmi/sun.rmi.transport.tcp",
    "java.sql/java.sql",
    "java.naming/com.sun.jndi.ldap",
    "jdk.unsupported/sun.misc",
];

/// As in Cassandra's own options for Java 17.
const OPENS: &[&str] = &[
    "java.base/java.io",
    "java.base/java.lang",
    "java.base/java.lang.module",
    "java.base/java.lang.reflect",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/sun.nio.ch",
    "java.base/jdk.internal.loader",
    "java.base/jdk.internal.math",
    "java.base/jdk.internal.module",
    "java.base/jdk.internal.ref",
    "java.base/jdk.internal.reflect",
    "java.base/jdk.internal.util.jar",
    "jdk.management/com.sun.management.internal",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Settings {
        Settings {
            size: Size::Three,
            auth: true,
            sync: CommitLogSync::Batch,
            port: 9142,
            ..Settings::default()
        }
    }

    fn has(yaml: &str, line: &str) -> bool {
        yaml.lines().any(|found| found == line)
    }

    #[test]
    fn one_node_keeps_the_shipped_timeouts_and_asks_no_login() {
        let yaml = yaml(&Settings::default(), 1, Seeds::StartedBefore);
        for line in [
            "rpc_address: 127.0.0.1",
            "native_transport_port: 9042",
            "storage_port: 7000",
            "commitlog_sync: periodic",
            "storage_compatibility_mode: CASSANDRA_4",
            "materialized_views_enabled: true",
        ] {
            assert!(has(&yaml, line), "{line}");
        }
        assert!(!yaml.contains("timeout") && !yaml.contains("authenticator"));
        assert!(!yaml.contains("encryption"));
    }

    #[test]
    fn an_encrypted_port_stands_beside_the_plain_one() {
        let settings = Settings {
            tls: true,
            ..Settings::default()
        };
        let yaml = yaml(&settings, 1, Seeds::All);
        for line in [
            "native_transport_port: 9042",
            "native_transport_port_ssl: 9043",
            "  keystore: keystore.p12",
        ] {
            assert!(has(&yaml, line), "{line}");
        }
    }

    #[test]
    fn roles_are_fresh_on_one_node_only() {
        let one = Settings {
            auth: true,
            ..Settings::default()
        };
        assert!(has(&yaml(&one, 1, Seeds::All), "roles_validity: 100ms"));
        assert!(!yaml(&three(), 1, Seeds::All).contains("roles_validity"));
    }

    #[test]
    fn three_nodes_answer_soon_and_differ_in_their_address() {
        let yaml = yaml(&three(), 3, Seeds::All);
        for line in [
            "listen_address: 127.0.0.3",
            "      - seeds: \"127.0.0.1,127.0.0.2,127.0.0.3\"",
            "native_transport_port: 9142",
            "storage_port: 7100",
            "commitlog_sync: batch",
            "write_request_timeout: 1500ms",
            "authenticator: PasswordAuthenticator",
        ] {
            assert!(has(&yaml, line), "{line}");
        }
        assert!(
            !yaml.contains("commitlog_sync_period"),
            "refused with batch"
        );
    }

    #[test]
    fn a_first_start_asks_only_those_before() {
        let yaml = yaml(&three(), 2, Seeds::StartedBefore);
        assert!(has(&yaml, "      - seeds: \"127.0.0.1,127.0.0.2\""));
    }

    #[test]
    fn no_key_is_given_twice() {
        let yaml = yaml(&three(), 1, Seeds::All);
        let mut keys: Vec<&str> = yaml
            .lines()
            .filter(|line| !line.starts_with(['#', ' ']))
            .filter_map(|line| Some(line.split_once(':')?.0))
            .collect();
        keys.sort_unstable();
        assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "{keys:?}");
    }

    #[test]
    fn tokens_divide_the_ring_evenly() {
        assert!(tokens(Size::One, 1).starts_with("-9223372036854775808,-8070450532247928832,"));
        let mut all: Vec<i64> = Size::Three
            .numbers()
            .flat_map(|node| {
                let tokens = tokens(Size::Three, node);
                tokens
                    .split(',')
                    .map(|t| t.parse().unwrap())
                    .collect::<Vec<i64>>()
            })
            .collect();
        all.sort_unstable();
        let gaps: Vec<i128> = all
            .windows(2)
            .map(|pair| i128::from(pair[1]) - i128::from(pair[0]))
            .collect();
        assert_eq!(all.len(), 48);
        assert!(gaps.iter().all(|gap| *gap == gaps[0]), "{gaps:?}");
    }

    #[test]
    fn the_log_is_one_file() {
        let logback = logback(Path::new("/n/system.log"));
        assert!(logback.contains("<file>/n/system.log</file>"));
        assert!(logback.contains("%date{ISO8601}"), "{logback}");
    }
}

//! A service that answers everything with the same bytes and does nothing else: what `stoa bench web`
//! compares pages with.

use std::net::SocketAddr;

use axum::Router;
use axum::body::Bytes;
use tokio::net::TcpListener;

/// Serves so many bytes on a free port of this machine until `stop` is done; `told` is given the
/// address.
///
/// # Errors
/// That no port is free.
pub async fn serve(
    bytes: usize,
    told: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    told(listener.local_addr()?);
    let page = Bytes::from(vec![b'x'; bytes]);
    let service = Router::new().fallback(async move || page.clone());
    let served = axum::serve(listener, service);
    served.with_graceful_shutdown(stop).await
}

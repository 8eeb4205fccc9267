//! The connections to a model server.
//!
//! Thousands are open at once, one for each call under way, so what each of them holds counts.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response, Uri};
use hyper::body::Incoming;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector, capture_connection};
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rand::RngExt;
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::transport::Pieces;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A connection that is silent for so long is asked whether it is still there, so often, in such intervals; what was
/// sent must be acknowledged within the last time. Between two runs routers forget connections without a word.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_RETRIES: u32 = 3;
const UNACKNOWLEDGED: Duration = Duration::from_secs(30);
/// After so many calls at most a connection is given up: hyper's channel to it would begin a second block of 32 places,
/// 6 KB that stay. Servers behind a balancer get their share of a long run so, too.
const MOST_CALLS: u32 = 31;
/// Connections that were opened together do not end together: each may serve up to so many calls less.
const SPREAD: u32 = 16;

#[derive(Clone)]
pub struct Connections(Client<Connector, Pieces>);

impl Connections {
    /// To a server whose address begins with this scheme. Nothing is opened yet.
    pub fn new(scheme: &str) -> io::Result<Self> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = HttpsConnectorBuilder::new();
        let builder = match scheme {
            // Reading the system's certificates costs memory, and fails where there are none.
            "http" => {
                let tls = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
                let tls = tls.map_err(io::Error::other)?.with_root_certificates(RootCertStore::empty());
                builder.with_tls_config(tls.with_no_client_auth())
            }
            _ => builder.with_provider_and_platform_verifier(provider)?,
        };
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // Of each address that the name has; the connector's own limit is for all of it.
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        tcp.set_keepalive(Some(KEEPALIVE));
        tcp.set_keepalive_interval(Some(KEEPALIVE));
        tcp.set_keepalive_retries(Some(KEEPALIVE_RETRIES));
        #[cfg(target_os = "linux")]
        tcp.set_tcp_user_timeout(Some(UNACKNOWLEDGED));
        let connector = Connector(builder.https_or_http().enable_http1().wrap_connector(tcp));
        let client = Client::builder(TokioExecutor::new()).pool_idle_timeout(None).build(connector);
        Ok(Self(client))
    }

    /// Sends the request once: again only where a connection from before turns out to be closed, and nothing was sent.
    pub fn send(&self, mut request: Request<Pieces>) -> impl Future<Output = Result<Response<Incoming>, Error>> {
        let taken = capture_connection(&mut request);
        let sent = self.0.request(request);
        async move {
            let response = sent.await?;
            let left = response.extensions().get::<CallsLeft>();
            if left.is_some_and(|CallsLeft(left)| left.fetch_sub(1, Ordering::Relaxed) <= 1)
                && let Some(connection) = &*taken.connection_metadata()
            {
                connection.poison();
            }
            Ok(response)
        }
    }
}

#[derive(Clone)]
struct Connector(HttpsConnector<HttpConnector>);

type Stream = MaybeHttpsStream<TokioIo<TcpStream>>;
type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl tower::Service<Uri> for Connector {
    type Response = Counted;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Counted, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, address: Uri) -> Self::Future {
        let connecting = timeout(CONNECT_TIMEOUT, self.0.call(address));
        Box::pin(async { Ok(Counted(connecting.await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??)) })
    }
}

/// How many calls a connection may serve yet.
#[derive(Clone)]
struct CallsLeft(Arc<AtomicU32>);

/// A connection whose answers tell how many calls it may serve yet.
struct Counted(Stream);

impl Connection for Counted {
    fn connected(&self) -> Connected {
        let most = MOST_CALLS - rand::rng().random_range(0..SPREAD);
        self.0.connected().extra(CallsLeft(Arc::new(AtomicU32::new(most))))
    }
}

impl Read for Counted {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, room: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, room)
    }
}

impl Write for Counted {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, pieces)
    }
}

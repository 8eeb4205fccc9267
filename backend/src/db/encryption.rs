//! Asynchronous connections that are encrypted where the server offers it, as libpq's blocking ones are.

use std::error::Error;
use std::pin::Pin;
use std::sync::OnceLock;

use diesel::result::ConnectionResult;
use diesel_async::pooled_connection::{ManagerConfig, PoolableConnection, RecyclingMethod};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use futures_util::FutureExt;
use futures_util::future::ready;
use native_tls::TlsConnector;
use postgres_native_tls::TlsStream;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};

use super::NO_STANDSTILL;

/// Opens connections the way `sslmode` of the URL says: `disable`, `prefer` or `require`.
///
/// As with libpq these encrypt and do not ask who the server is: its certificate is most often one of its own making.
pub(super) fn connections() -> ManagerConfig<AsyncPgConnection> {
    let mut config = ManagerConfig::default();
    // A test query at every checkout would double the way to the database; that a server is gone, its socket says.
    config.recycling_method = RecyclingMethod::CustomFunction(Box::new(|connection: &mut AsyncPgConnection| {
        let lost = connection.is_broken();
        ready(if lost { Err(diesel::result::Error::BrokenTransactionManager) } else { Ok(()) }).boxed()
    }));
    config.custom_setup = Box::new(|url| open(url.to_owned()).boxed());
    config
}

pub(super) async fn open(url: String) -> ConnectionResult<AsyncPgConnection> {
    let opened = tokio_postgres::connect(&url, WhereOffered).await;
    let (client, connection) = opened.map_err(|reason| diesel::ConnectionError::BadConnection(explain(&reason)))?;
    let mut connection = AsyncPgConnection::try_from_client_and_connection(client, connection).await?;
    connection.batch_execute(NO_STANDSTILL).await.map_err(diesel::ConnectionError::CouldntSetupConfiguration)?;
    Ok(connection)
}

/// Encryption for any host, prepared at the first server that takes it up: the connector reads all of the system's
/// certificates, which costs a tenth of a second and some megabytes, and most databases are next door and want none.
#[derive(Clone)]
struct WhereOffered;

/// The same, for one host.
struct ForHost(String);

type Trouble = Box<dyn Error + Send + Sync>;

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for WhereOffered {
    type Stream = TlsStream<S>;
    type TlsConnect = ForHost;
    type Error = Trouble;

    fn make_tls_connect(&mut self, host: &str) -> Result<ForHost, Trouble> {
        Ok(ForHost(host.to_owned()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for ForHost {
    type Stream = TlsStream<S>;
    type Error = Trouble;
    type Future = Pin<Box<dyn Future<Output = Result<TlsStream<S>, Trouble>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        async move {
            let connector = postgres_native_tls::TlsConnector::new(connector()?, &self.0);
            Ok(connector.connect(stream).await?)
        }
        .boxed()
    }
}

/// One for all connections of the process.
fn connector() -> native_tls::Result<TlsConnector> {
    static CONNECTOR: OnceLock<TlsConnector> = OnceLock::new();
    if let Some(known) = CONNECTOR.get() {
        return Ok(known.clone());
    }
    let made =
        TlsConnector::builder().danger_accept_invalid_certs(true).danger_accept_invalid_hostnames(true).build()?;
    Ok(CONNECTOR.get_or_init(|| made).clone())
}

/// tokio-postgres tells the kind of an error only, and keeps the cause to itself.
fn explain(reason: &tokio_postgres::Error) -> String {
    match reason.source() {
        Some(cause) => format!("{reason}: {cause}"),
        None => reason.to_string(),
    }
}

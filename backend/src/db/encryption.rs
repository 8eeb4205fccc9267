//! Asynchronous connections that are encrypted where the server offers it, as libpq's blocking ones are.

use diesel::result::ConnectionResult;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::{ManagerConfig, PoolableConnection, RecyclingMethod};
use futures_util::FutureExt;
use futures_util::future::ready;
use native_tls::TlsConnector;
use postgres_native_tls::MakeTlsConnector;

use crate::error::{Error, Result};

/// Opens connections the way `sslmode` of the URL says: `disable`, `prefer` or `require`.
///
/// As with libpq these encrypt and do not ask who the server is: its certificate is most often one of its own making.
pub(super) fn connections() -> Result<ManagerConfig<AsyncPgConnection>> {
    let connector = TlsConnector::builder()
        .danger_accept_invalid_certs(true)
        .danger_accept_invalid_hostnames(true)
        .build()
        .map_err(|reason| Error::internal(format!("encryption for the database: {reason}")))?;
    let connector = MakeTlsConnector::new(connector);
    let mut config = ManagerConfig::default();
    // A test query at every checkout would double the way to the database; that a server is gone, its socket says.
    config.recycling_method = RecyclingMethod::CustomFunction(Box::new(|connection: &mut AsyncPgConnection| {
        let lost = connection.is_broken();
        ready(if lost { Err(diesel::result::Error::BrokenTransactionManager) } else { Ok(()) }).boxed()
    }));
    config.custom_setup = Box::new(move |url| open(url.to_owned(), connector.clone()).boxed());
    Ok(config)
}

async fn open(url: String, connector: MakeTlsConnector) -> ConnectionResult<AsyncPgConnection> {
    let opened = tokio_postgres::connect(&url, connector).await;
    let (client, connection) = opened.map_err(|reason| diesel::ConnectionError::BadConnection(explain(&reason)))?;
    AsyncPgConnection::try_from_client_and_connection(client, connection).await
}

/// tokio-postgres tells the kind of an error only, and keeps the cause to itself.
fn explain(reason: &tokio_postgres::Error) -> String {
    match std::error::Error::source(reason) {
        Some(cause) => format!("{reason}: {cause}"),
        None => reason.to_string(),
    }
}

//! Handles `sslmode` and `sslrootcert` of a database URL in the same way for both libraries that open connections.
//!
//! tokio-postgres refuses `verify-ca`, `verify-full` and `sslrootcert`, so both parameters are taken out of the URL,
//! and each library gets them in its own form.

use std::fs;
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::Duration;

use native_tls::{Certificate, TlsConnector};
use postgres_native_tls::MakeTlsConnector;
use tokio_postgres::config::{Host, SslMode};

use crate::error::{Error, Result};

/// Value of `sslrootcert` that selects the operating system's certificates.
const SYSTEM: &str = "system";

/// Degree of encryption and verification, ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    Disable,
    /// Encrypt if the server offers it.
    Prefer,
    Require,
    /// Encrypt; a trusted authority must have issued the certificate.
    VerifyCa,
    /// Like `VerifyCa`, and the certificate must name the host.
    VerifyFull,
}

impl Mode {
    const ALL: [Self; 5] = [Self::Disable, Self::Prefer, Self::Require, Self::VerifyCa, Self::VerifyFull];

    fn name(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Prefer => "prefer",
            Self::Require => "require",
            Self::VerifyCa => "verify-ca",
            Self::VerifyFull => "verify-full",
        }
    }
}

/// A database URL with its encryption parameters separated.
pub struct DatabaseUrl {
    /// The URL without `sslmode` and `sslrootcert`.
    rest: String,
    mode: Mode,
    /// File of certificates, percent-encoded as in the URL. `None`: the operating system's.
    root: Option<String>,
}

impl DatabaseUrl {
    /// Parses a URL. Fails with bad input if `sslmode` is unknown or does not fit `sslrootcert`.
    pub fn parse(url: &str) -> Result<Self> {
        let refuse = |what: String| Error::bad_input(format!("DATABASE_URL has {what}"));
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut mode, mut root, mut others) = (None, None, Vec::new());
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslmode", name)) => {
                    mode = Some(Mode::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| {
                        refuse(format!("sslmode={name}; it takes {}", Mode::ALL.map(Mode::name).join(", ")))
                    })?);
                }
                Some(("sslrootcert", file)) => root = Some(file),
                _ => others.push(parameter),
            }
        }
        let base = hosts_before_the_path(base, &mut others);
        // The combinations mean the same as in libpq.
        let mode = match (mode, root) {
            (None | Some(Mode::VerifyFull), Some(SYSTEM)) => Mode::VerifyFull,
            (Some(mode), Some(SYSTEM)) => {
                return Err(refuse(format!("sslmode={} with sslrootcert=system; that takes verify-full", mode.name())));
            }
            (Some(Mode::VerifyCa), None) => {
                return Err(refuse("sslmode=verify-ca without sslrootcert, the file of the certificate".to_owned()));
            }
            (Some(Mode::Require), Some(_)) => Mode::VerifyCa,
            (mode, _) => mode.unwrap_or(Mode::Prefer),
        };
        let rest = if others.is_empty() { base } else { format!("{base}?{}", others.join("&")) };
        Ok(Self { rest, mode, root: root.filter(|root| *root != SYSTEM).map(str::to_owned) })
    }

    /// The URL for libpq and PostgreSQL's programs, which verify certificates themselves.
    pub fn for_libpq(&self) -> String {
        let (idle, interval, retries, send) =
            (super::KEEPALIVE_IDLE, super::KEEPALIVE_INTERVAL, super::KEEPALIVE_RETRIES, super::SEND_TIMEOUT);
        let url = self.with(&format!(
            "sslmode={}&keepalives_idle={}&keepalives_interval={}&keepalives_count={retries}&tcp_user_timeout={}",
            self.mode.name(),
            idle.as_secs(),
            interval.as_secs(),
            send.as_millis(),
        ));
        match &self.root {
            _ if self.mode < Mode::VerifyCa => url,
            root => format!("{url}&sslrootcert={}", root.as_deref().unwrap_or(SYSTEM)),
        }
    }

    /// The configuration for tokio-postgres, with a connector that encrypts and verifies. `None`: all hosts are
    /// sockets, which are not encrypted.
    pub(super) fn for_tokio_postgres(&self) -> Result<(tokio_postgres::Config, Option<MakeTlsConnector>)> {
        // The connector verifies certificates, not tokio-postgres.
        let url = self.with(&format!("sslmode={}", self.mode.min(Mode::Require).name()));
        let mut config = tokio_postgres::Config::from_str(&url)
            .map_err(|reason| Error::bad_input(format!("DATABASE_URL cannot be used: {}", super::explain(&reason))))?;
        config
            .keepalives_idle(super::KEEPALIVE_IDLE)
            .keepalives_interval(super::KEEPALIVE_INTERVAL)
            .keepalives_retries(super::KEEPALIVE_RETRIES)
            .tcp_user_timeout(super::SEND_TIMEOUT);
        let sockets = config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)));
        if sockets && config.get_hostaddrs().is_empty() {
            config.ssl_mode(SslMode::Disable);
            return Ok((config, None));
        }
        Ok((config, Some(MakeTlsConnector::new(self.connector()?))))
    }

    fn connector(&self) -> Result<TlsConnector> {
        // Cache the unverified connector: building one loads the system's certificates (100 ms).
        static UNCHECKED: OnceLock<TlsConnector> = OnceLock::new();
        let is_checked = self.mode >= Mode::VerifyCa;
        if let Some(made) = UNCHECKED.get().filter(|_| !is_checked) {
            return Ok(made.clone());
        }
        let mut builder = TlsConnector::builder();
        builder.danger_accept_invalid_certs(!is_checked);
        builder.danger_accept_invalid_hostnames(self.mode < Mode::VerifyFull);
        if let Some(certificates) = self.root_certificates()? {
            builder.disable_built_in_roots(true);
            for pem in certificates {
                builder.add_root_certificate(Certificate::from_pem(pem.as_bytes()).map_err(|e| self.unusable(&e))?);
            }
        }
        let made = builder.build().map_err(|reason| Error::internal(format!("encryption: {reason}")))?;
        Ok(if is_checked { made } else { UNCHECKED.get_or_init(|| made).clone() })
    }

    fn hosts(&self) -> u64 {
        // A URL that cannot be parsed is refused elsewhere.
        tokio_postgres::Config::from_str(&self.rest).map_or(1, |config| config.get_hosts().len().max(1) as u64)
    }

    /// Time limit for one host. If there are several, the last one must have its turn before a checkout gives up.
    fn connect_timeout(&self) -> Duration {
        let each = super::CONNECT_TIMEOUT.as_secs() / self.hosts();
        // libpq's minimum is two seconds.
        Duration::from_secs(each.max(2))
    }

    /// Time limit for opening a connection, including all hosts and the settings of the session.
    pub fn longest_connect(&self) -> Duration {
        let all = self.connect_timeout() * u32::try_from(self.hosts()).unwrap_or(u32::MAX);
        super::CONNECT_TIMEOUT.max(all + Duration::from_secs(1))
    }

    /// Appends parameters, and a connect time-out unless the URL has one.
    fn with(&self, parameters: &str) -> String {
        let separator = if self.rest.contains('?') { '&' } else { '?' };
        let mut url = format!("{}{separator}{parameters}", self.rest);
        if !url.contains("connect_timeout=") {
            url += &format!("&connect_timeout={}", self.connect_timeout().as_secs());
        }
        url
    }

    /// Returns the certificates of `sslrootcert` as PEM. `None`: those of the operating system, or no verification.
    fn root_certificates(&self) -> Result<Option<Vec<String>>> {
        let Some(file) = self.root_file().filter(|_| self.mode >= Mode::VerifyCa) else { return Ok(None) };
        let text = fs::read_to_string(file).map_err(|reason| self.unusable(&reason))?;
        let certificates: Vec<String> = text
            .split_inclusive("-----END CERTIFICATE-----")
            .filter(|part| part.contains("-----BEGIN CERTIFICATE-----"))
            .map(str::to_owned)
            .collect();
        if certificates.is_empty() { Err(self.unusable(&"it holds no certificate")) } else { Ok(Some(certificates)) }
    }

    fn root_file(&self) -> Option<String> {
        // In the query of a database URL a plus sign is literal.
        let query = format!("file={}", self.root.as_ref()?.replace('+', "%2B"));
        form_urlencoded::parse(query.as_bytes()).next().map(|(_, file)| file.into_owned())
    }

    fn unusable(&self, reason: &dyn std::fmt::Display) -> Error {
        let file = self.root_file().unwrap_or_default();
        Error::bad_input(format!("DATABASE_URL: the certificate sslrootcert={file} cannot be used: {reason}"))
    }
}

/// Moves several hosts in parameters (`host=a,b&port=1,2`), which tokio-postgres takes for one, before the path.
fn hosts_before_the_path(base: &str, parameters: &mut Vec<&str>) -> String {
    let named = |name: &str| parameters.iter().find_map(|parameter| parameter.strip_prefix(name)).unwrap_or_default();
    let (hosts, ports) = (named("host="), named("port="));
    let Some((scheme, rest)) = base.split_once("://").filter(|_| hosts.contains(',')) else { return base.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let login = authority.rsplit_once('@').map(|(login, _)| format!("{login}@")).unwrap_or_default();
    let mut ports = ports.split(',').cycle();
    let hosts = hosts.split(',').map(|host| match ports.next().unwrap_or_default() {
        "" => host.replace('/', "%2F"),
        port => format!("{}:{port}", host.replace('/', "%2F")),
    });
    let hosts: Vec<String> = hosts.collect();
    parameters.retain(|parameter| !parameter.starts_with("host=") && !parameter.starts_with("port="));
    format!("{scheme}://{login}{}{path}", hosts.join(","))
}

/// The URL with one host instead of several, which most URL parsers refuse.
pub fn with_one_host(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (login, hosts) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
    if hosts.contains(',') { format!("{scheme}://{login}localhost{path}") } else { url.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn for_libpq(parameters: &str) -> Result<String, String> {
        let url = DatabaseUrl::parse(&format!("postgres://db/x{parameters}")).map_err(|error| error.to_string())?;
        const WATCHED: &str = "&keepalives_idle=10&keepalives_interval=5&keepalives_count=3&tcp_user_timeout=20000";
        let libpq = url.for_libpq();
        assert!(libpq.contains(WATCHED), "{libpq}");
        Ok(libpq.replace(WATCHED, ""))
    }

    #[test]
    fn every_mode_and_certificate_means_what_it_means_to_libpq() {
        for (given, expected) in [
            ("", "?sslmode=prefer&connect_timeout=5"),
            ("?sslmode=disable&connect_timeout=9", "?connect_timeout=9&sslmode=disable"),
            ("?sslmode=require&sslrootcert=/a%20b.pem", "?sslmode=verify-ca&connect_timeout=5&sslrootcert=/a%20b.pem"),
            ("?sslmode=verify-full", "?sslmode=verify-full&connect_timeout=5&sslrootcert=system"),
            ("?sslrootcert=system", "?sslmode=verify-full&connect_timeout=5&sslrootcert=system"),
            ("?sslrootcert=/ca.pem", "?sslmode=prefer&connect_timeout=5"),
        ] {
            assert_eq!(for_libpq(given), Ok(format!("postgres://db/x{expected}")), "{given}");
        }
    }

    #[test]
    fn of_several_hosts_each_is_tried_in_time() {
        let url = "postgres://me:pass@a:1,b:2/x?target_session_attrs=read-write&sslmode=disable";
        let url = DatabaseUrl::parse(url).expect("a URL");
        assert!(url.for_libpq().ends_with("&connect_timeout=2"), "{}", url.for_libpq());
        let (config, _) = url.for_tokio_postgres().expect("a URL of tokio-postgres");
        assert_eq!((config.get_hosts().len(), config.get_ports()), (2, [1, 2].as_slice()));
        let url = DatabaseUrl::parse("postgres:///x?host=a,/run,c&port=1,2,3&user=me").expect("a URL");
        assert_eq!(url.rest, "postgres://a:1,%2Frun:2,c:3/x?user=me");
        assert_eq!((url.connect_timeout().as_secs(), url.longest_connect().as_secs()), (2, 7));
    }

    #[test]
    fn what_cannot_be_checked_is_refused() {
        for (given, expected) in [
            ("?sslmode=allow", "sslmode=allow; it takes disable, prefer, require, verify-ca, verify-full"),
            ("?sslmode=verify-ca", "sslmode=verify-ca without sslrootcert, the file of the certificate"),
            ("?sslmode=require&sslrootcert=system", "sslmode=require with sslrootcert=system; that takes verify-full"),
        ] {
            assert_eq!(for_libpq(given), Err(format!("DATABASE_URL has {expected}")));
        }
    }

    #[test]
    fn tokio_postgres_gets_modes_that_it_knows_and_the_file_by_its_own_name() {
        let url = DatabaseUrl::parse("postgres://db/x?sslmode=verify-full&sslrootcert=/no+such%20file").expect("a URL");
        assert_eq!(url.root_file().as_deref(), Some("/no+such file"));
        let error = url.for_tokio_postgres().err().expect("there is no such file").to_string();
        assert!(
            error.starts_with("DATABASE_URL: the certificate sslrootcert=/no+such file cannot be used: "),
            "{error}"
        );
        let url = DatabaseUrl::parse("postgres://db/x?sslmode=verify-full").expect("a URL");
        let (config, tls) = url.for_tokio_postgres().expect("the system's certificates");
        assert_eq!((config.get_ssl_mode(), tls.is_some()), (SslMode::Require, true));
        let url = DatabaseUrl::parse("postgres:///x?host=/run&sslmode=require").expect("a URL");
        let (config, tls) = url.for_tokio_postgres().expect("a socket");
        assert_eq!((config.get_ssl_mode(), tls.is_some()), (SslMode::Disable, false));
        let url = DatabaseUrl::parse("postgres:///x?hostaddr=10.0.0.1&sslmode=require").expect("a URL");
        assert!(url.for_tokio_postgres().expect("an address").1.is_some());
    }
}

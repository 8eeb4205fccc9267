//! A proxy before PostgreSQL that can fall silent, as a network does.

use std::io;
use std::str::FromStr;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_postgres::config::Host;

/// What becomes of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Open,
    /// Nothing passes, nothing is closed.
    Silent,
    /// Every connection is closed, new ones too.
    Cut,
}

pub struct Proxy {
    url: String,
    line: watch::Sender<Line>,
    accepting: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Proxy {
    /// Before the database at this URL.
    pub async fn before(url: &str) -> Self {
        let server = tokio_postgres::Config::from_str(url).expect("a database URL");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("an address").port();
        let user = server.get_user().unwrap_or("postgres");
        let password = server.get_password().map(|password| String::from_utf8_lossy(password).into_owned());
        let password = password.map(|password| format!(":{password}")).unwrap_or_default();
        let database = server.get_dbname().unwrap_or(user);
        let url = format!("postgres://{user}{password}@127.0.0.1:{port}/{database}?sslmode=disable");
        let (line, watched) = watch::channel(Line::Open);
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(serve(client, server.clone(), watched.clone()));
            }
        });
        Self { url, line, accepting }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn fall_silent(&self) {
        self.line.send_replace(Line::Silent);
    }

    pub fn cut(&self) {
        self.line.send_replace(Line::Cut);
    }

    pub fn reopen(&self) {
        self.line.send_replace(Line::Open);
    }
}

async fn serve(client: TcpStream, server: tokio_postgres::Config, line: watch::Receiver<Line>) {
    let port = server.get_ports().first().copied().unwrap_or(5432);
    let _ = match &server.get_hosts()[0] {
        Host::Tcp(host) => match TcpStream::connect((host.as_str(), port)).await {
            Ok(stream) => between(client, stream, line).await,
            Err(reason) => Err(reason),
        },
        Host::Unix(folder) => match UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).await {
            Ok(stream) => between(client, stream, line).await,
            Err(reason) => Err(reason),
        },
    };
}

async fn between(
    client: TcpStream,
    server: impl AsyncRead + AsyncWrite,
    line: watch::Receiver<Line>,
) -> io::Result<()> {
    let ((client_reads, client_writes), (server_reads, server_writes)) = (split(client), split(server));
    let mut cut = line.clone();
    tokio::select! {
        ended = pass(client_reads, server_writes, line.clone()) => ended,
        ended = pass(server_reads, client_writes, line.clone()) => ended,
        _ = cut.wait_for(|line| *line == Line::Cut) => Ok(()),
    }
}

async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut line: watch::Receiver<Line>,
) -> io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let length = from.read(&mut buffer).await?;
        let open = line.wait_for(|line| *line == Line::Open).await.is_ok();
        if length == 0 || !open {
            return Ok(());
        }
        to.write_all(&buffer[..length]).await?;
    }
}

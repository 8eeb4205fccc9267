//! A proxy before PostgreSQL or the model server that imitates faults of networks.

use std::io;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model_server::ModelServer;
use reqwest::Url;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};
use tokio_postgres::config::Host;

/// Behaviour of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Open,
    /// Nothing passes, and nothing is closed.
    Silent,
    /// Data reaches the server; its answers, and its end, do not arrive.
    HalfOpen,
    /// Earlier connections stay silent and new ones work, as with a router that has forgotten them.
    Stale,
    /// Every connection is closed, new ones too.
    Cut,
    /// One in this number of packets ends its connection instead of arriving.
    Drops(usize),
    /// Every packet takes this long in each direction. Many may be under way, as in a long cable.
    Slow(Duration),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    ToServer,
    ToClient,
}

impl Line {
    /// Whether data passes. `new`: the connection was opened while the line was like this.
    fn passes(self, direction: Direction, new: bool) -> bool {
        match self {
            Self::Stale => new,
            Self::Silent => false,
            Self::HalfOpen => direction == Direction::ToServer,
            Self::Open | Self::Cut | Self::Drops(_) | Self::Slow(_) => true,
        }
    }
}

pub struct Proxy {
    url: String,
    line: watch::Sender<Line>,
    counts: Arc<Counts>,
    accepting: JoinHandle<()>,
}

#[derive(Default)]
struct Counts {
    connections: AtomicUsize,
    packets: AtomicUsize,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Proxy {
    /// Starts a proxy before the database at this URL.
    pub async fn before(url: &str) -> Self {
        let server = tokio_postgres::Config::from_str(url).expect("a database URL");
        let port = server.get_ports().first().copied().unwrap_or(5432);
        let user = server.get_user().unwrap_or("postgres");
        let password = server.get_password().map(|password| String::from_utf8_lossy(password).into_owned());
        let password = password.map(|password| format!(":{password}")).unwrap_or_default();
        let database = server.get_dbname().unwrap_or(user);
        let address = |own: u16| format!("postgres://{user}{password}@127.0.0.1:{own}/{database}?sslmode=disable");
        Self::start((server.get_hosts()[0].clone(), port), address).await
    }

    /// Starts a proxy before the model server.
    pub async fn before_model(server: &ModelServer) -> Self {
        let address = Url::parse(&server.base_url()).expect("a URL");
        let port = address.port().expect("a port of its own");
        let own = |own| format!("http://127.0.0.1:{own}{}", address.path());
        Self::start((Host::Tcp("127.0.0.1".to_owned()), port), own).await
    }

    async fn start(server: (Host, u16), url: impl FnOnce(u16) -> String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let url = url(listener.local_addr().expect("an address").port());
        let (line, watched) = watch::channel(Line::Open);
        let counts = Arc::<Counts>::default();
        let counted = counts.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                counted.connections.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(serve(client, server.clone(), watched.clone(), counted.clone()));
            }
        });
        Self { url, line, counts, accepting }
    }

    /// URL of the server through this proxy.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn becomes(&self, line: Line) {
        self.line.send_replace(line);
    }

    /// Number of packets that passed so far, in both directions.
    pub fn packets(&self) -> usize {
        self.counts.packets.load(Ordering::Relaxed)
    }

    /// Number of connections so far.
    pub fn connections(&self) -> usize {
        self.counts.connections.load(Ordering::Relaxed)
    }
}

async fn serve(client: TcpStream, (host, port): (Host, u16), line: watch::Receiver<Line>, counts: Arc<Counts>) {
    // Otherwise each packet waits for the acknowledgement of the one before.
    let _ = client.set_nodelay(true);
    let _ = match &host {
        Host::Tcp(host) => match TcpStream::connect((host.as_str(), port)).await {
            Ok(stream) => between(client, stream, line, &counts).await,
            Err(reason) => Err(reason),
        },
        Host::Unix(folder) => match UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).await {
            Ok(stream) => between(client, stream, line, &counts).await,
            Err(reason) => Err(reason),
        },
    };
}

async fn between(
    client: TcpStream,
    server: impl AsyncRead + AsyncWrite,
    line: watch::Receiver<Line>,
    counts: &Counts,
) -> io::Result<()> {
    let new = *line.borrow() == Line::Stale;
    let ((client_reads, client_writes), (server_reads, server_writes)) = (split(client), split(server));
    let mut cut = line.clone();
    tokio::select! {
        ended = pass(client_reads, server_writes, (Direction::ToServer, new), line.clone(), counts) => ended,
        ended = pass(server_reads, client_writes, (Direction::ToClient, new), line.clone(), counts) => ended,
        _ = cut.wait_for(|line| *line == Line::Cut) => Ok(()),
    }
}

async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    (direction, new): (Direction, bool),
    mut line: watch::Receiver<Line>,
    counts: &Counts,
) -> io::Result<()> {
    let (sender, mut under_way) = mpsc::channel(64);
    let read = async move {
        loop {
            let mut packet = vec![0; 16 * 1024];
            let length = from.read(&mut packet).await?;
            packet.truncate(length);
            // An empty packet is the end, which passes like data.
            if sender.send((Instant::now(), packet)).await.is_err() || length == 0 {
                return io::Result::Ok(());
            }
        }
    };
    let write = async move {
        while let Some((sent, packet)) = under_way.recv().await {
            let Ok(now) = line.wait_for(|line| line.passes(direction, new)).await.map(|line| *line) else { break };
            if let Line::Slow(delay) = now {
                sleep_until(sent + delay).await;
            }
            let number = counts.packets.fetch_add(1, Ordering::Relaxed);
            if packet.is_empty() || matches!(now, Line::Drops(one_in) if number % one_in == one_in - 1) {
                break;
            }
            to.write_all(&packet).await?;
        }
        Ok(())
    };
    // Reading ends before the data has arrived.
    tokio::select! {
        Err(reason) = read => Err(reason),
        written = write => written,
    }
}

//! A model server behind TLS that fails before anything is encrypted, and comes back.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model_server::{Faults, ModelServer};
use native_tls::{Identity, TlsAcceptor};
use simulation::status::Status;
use tempfile::TempDir;
use tokio::io::{AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::support::Simulate;
use crate::support::certificates::{authority, certificate};
use crate::support::engine_fixture::{EngineFixture, survey};

/// Behaviour of the server towards a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// A certificate of the trusted authority.
    Well,
    NoTls,
    /// A certificate of another authority.
    Untrusted,
}

/// A front of a model server. A change ends the existing connections.
struct Front {
    url: String,
    says: watch::Sender<Says>,
    /// Number of connections that met no trusted certificate.
    refused: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Drop for Front {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn acceptor(folder: &Path, name: &str) -> tokio_native_tls::TlsAcceptor {
    let read = |kind| fs::read(folder.join(format!("{name}.{kind}"))).expect("it was made");
    let identity = Identity::from_pkcs8(&read("crt"), &read("key")).expect("a certificate and its key");
    TlsAcceptor::new(identity).expect("they fit").into()
}

impl Front {
    async fn before(stub: &ModelServer, certificates: &Path) -> Self {
        for (name, by) in [("trusted", "ca"), ("untrusted", "other")] {
            authority(certificates, by);
            certificate(certificates, name, by);
        }
        let [trusted, untrusted] = ["trusted", "untrusted"].map(|name| acceptor(certificates, name));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let url = format!("https://{}/v1", listener.local_addr().expect("an address"));
        let (says, said) = watch::channel(Says::Well);
        let (refused, server) = (Arc::<AtomicUsize>::default(), stub.address());
        let counted = refused.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let (trusted, untrusted, counted, mut said) =
                    (trusted.clone(), untrusted.clone(), counted.clone(), said.clone());
                tokio::spawn(async move {
                    let says = *said.borrow_and_update();
                    match says {
                        Says::Well => {
                            let Ok(mut client) = trusted.accept(client).await else { return };
                            let mut server = TcpStream::connect(server).await.expect("the stub listens");
                            tokio::select! {
                                _ = copy_bidirectional(&mut client, &mut server) => {}
                                _ = said.changed() => {}
                            }
                        }
                        Says::NoTls => {
                            let _ = client.write_all(b"HTTP/1.1 503 Starting\r\n\r\n").await;
                            counted.fetch_add(1, Ordering::Relaxed);
                        }
                        Says::Untrusted => {
                            let _ = untrusted.accept(client).await;
                            counted.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        Self { url, says, refused, accepting }
    }

    /// Behaves like this until a probe has met it, after the call that opened the circuit.
    async fn says_until_probed(&self, says: Says, fixture: &EngineFixture) {
        self.refused.store(0, Ordering::Relaxed);
        self.says.send_replace(says);
        fixture
            .until_found(
                "SELECT count(*) AS number FROM model_servers WHERE blocked_until > now()
                 AND reason LIKE 'the model server is down: could not connect to the model server: _%'",
            )
            .await;
        while self.refused.load(Ordering::Relaxed) < 2 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

#[tokio::test]
async fn a_server_whose_tls_fails_for_a_while_costs_no_request() {
    let stub = ModelServer::start(Faults::default().latency_ms(20));
    let fixture = EngineFixture::new(20).await;
    let certificates = TempDir::new().expect("a folder");
    let front = Front::before(&stub, certificates.path()).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey(10), "answers.csv");
    simulate
        .command
        .args(["--personas", "20"])
        .env("OPENAI_BASE_URL", &front.url)
        .env("SSL_CERT_FILE", certificates.path().join("ca.crt"))
        .env("LLM_QUESTIONS_PER_CALL", "1")
        .env("LLM_MAX_CONCURRENCY", "4")
        .env("LLM_TIMEOUT_S", "20");
    let simulating = simulate.spawn();
    stub.reached(30).await;
    front.says_until_probed(Says::NoTls, &fixture).await;
    front.says_until_probed(Says::Untrusted, &fixture).await;
    front.says.send_replace(Says::Well);
    let outcome = spawn_blocking(move || simulating.ended()).await.expect("it is waited for");
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    let run = fixture.run(fixture.number("SELECT id AS number FROM simulations").await).await;
    assert_eq!((run.status, run.successful_requests, run.failed_requests), (Status::Completed, 200, 0));
    fixture.sound_and_paid(200).await;
}

//! The model server is called over TLS 1.2 or newer, and its certificate is verified.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::thread;

use model_server::{Faults, ModelServer};
use native_tls::{Identity, TlsAcceptor};
use tempfile::TempDir;

use crate::support::Simulate;
use crate::support::engine_fixture::{EngineFixture, survey};

#[actix_web::test]
async fn a_key_is_sent_only_to_a_model_server_whose_certificate_is_made_out_to_it_by_a_trusted_authority() {
    let folder = TempDir::new().expect("a folder");
    for (name, host) in [("right", "IP:127.0.0.1"), ("elsewhere", "DNS:elsewhere.example")] {
        let certificate = format!(
            "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={name} -addext subjectAltName={host} \
             -keyout {name}.key -out {name}.crt"
        );
        let made = Command::new("openssl").args(certificate.split_whitespace()).current_dir(folder.path()).output();
        let made = made.expect("openssl is there");
        assert!(made.status.success(), "{made:?}");
    }
    let fixture = EngineFixture::new(1).await;
    let stub = ModelServer::start(Faults::default());
    for (served, trusted, message) in [
        ("right", "right", "refuses the key in OPENAI_API_KEY: 401 Unauthorized"),
        ("right", "elsewhere", "cannot be reached: "),
        ("elsewhere", "elsewhere", "cannot be reached: "),
    ] {
        let address = server_that_refuses_keys(folder.path(), served);
        let mut simulate = Simulate::new(&fixture, &stub, &survey(1), "answers.csv");
        simulate.command.env("OPENAI_BASE_URL", format!("https://{address}/v1")).env("OPENAI_API_KEY", "a-key");
        simulate.command.env("SSL_CERT_FILE", folder.path().join(format!("{trusted}.crt")));
        let outcome = simulate.outcome();
        let expected = format!("twinlab: the model server at https://{address}/v1 {message}");
        let line = outcome.only_line();
        assert!(line.starts_with(&expected), "{line}");
        assert_eq!(line.contains("certificate verify failed"), message.starts_with("cannot"), "{line}");
    }
}

/// A server that answers one call, if the call gets through.
fn server_that_refuses_keys(certificates: &Path, name: &str) -> SocketAddr {
    let pem = |ending: &str| fs::read(certificates.join(format!("{name}.{ending}"))).expect("it was made");
    let identity = Identity::from_pkcs8(&pem("crt"), &pem("key")).expect("a certificate and its key");
    let acceptor = TlsAcceptor::new(identity).expect("they can be served");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it listens");
    thread::spawn(move || {
        let (connection, _) = listener.accept().expect("somebody calls");
        let Ok(mut connection) = acceptor.accept(connection) else { return };
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            connection.read_exact(&mut byte).expect("a whole request");
            request.extend(byte);
        }
        let refusal = b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        connection.write_all(refusal).expect("it is read");
    });
    address
}

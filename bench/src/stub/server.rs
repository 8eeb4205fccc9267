//! The connections: read a call, wait as long as the model would, hand the answer over as planned.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, sleep_until};

use super::answer::{Answer, Delivery, PADDING};
use super::http::{self, Request, Route};
use super::state::{Plan, State};

/// A sleeper wakes after up to two milliseconds more than it asked for: tokio counts whole ones and rounds up, and so
/// does epoll. Begun so much earlier, answers come on average when they are due, and never much before.
const LATE: Duration = Duration::from_millis(1);

/// Serves until `stopped` ends.
pub(super) async fn serve(listener: TcpListener, state: Arc<State>, stopped: impl Future) {
    let mut stopped = pin!(stopped);
    loop {
        tokio::select! {
            _ = &mut stopped => return,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let state = state.clone();
                    // A client that breaks off or talks nonsense concerns nobody but itself.
                    tokio::spawn(async move { converse(stream, &state).await.ok() });
                }
                // Out of file descriptors: they come back as connections end.
                Err(_) => sleep(Duration::from_millis(10)).await,
            }
        }
    }
}

async fn converse(mut stream: TcpStream, state: &State) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::new();
    while let Some(request) = http::read(&stream, &mut buffer).await? {
        let plan = match request.route {
            Route::Completions => Ok(state.receive(&buffer[request.body.clone()])),
            Route::Models => {
                Err(http::json("200 OK", "", r#"{"object":"list","data":[{"id":"stub","object":"model"}]}"#))
            }
            Route::Counters => Err(counters(state)),
            Route::Unknown => Err(http::json(
                "404 Not Found",
                "",
                r#"{"error":{"message":"No such route","type":"invalid_request_error"}}"#,
            )),
        };
        forget(&mut buffer, &request);
        let goes_on = match plan {
            Ok(plan) => answer(&mut stream, state, plan).await?,
            Err(bytes) => stream.write_all(&bytes).await.map(|()| true)?,
        };
        if !goes_on || !request.keep_alive {
            return Ok(());
        }
    }
    Ok(())
}

fn counters(state: &State) -> Vec<u8> {
    match serde_json::to_string(&state.counters()) {
        Ok(text) => http::json("200 OK", "", &text),
        Err(error) => http::answer("500 Internal Server Error", "text/plain", "", &error.to_string()),
    }
}

/// Gives the memory back unless the next request has already begun in it.
fn forget(buffer: &mut Vec<u8>, request: &Request) {
    if buffer.len() == request.body.end {
        *buffer = Vec::new();
    } else {
        buffer.drain(..request.body.end);
    }
}

/// Books the end of the call even when the client leaves or the stub stops in the middle of it.
struct Owed<'a> {
    state: &'a State,
    plan: Plan,
}

impl Drop for Owed<'_> {
    fn drop(&mut self) {
        self.state.ended(&self.plan);
    }
}

/// Hands a call's answer over when it is due. False: the connection is of no more use.
async fn answer(stream: &mut TcpStream, state: &State, plan: Plan) -> io::Result<bool> {
    let owed = Owed { state, plan };
    sleep_until((owed.plan.due - LATE).into()).await;
    if *state.held.borrow() {
        let mut held = state.held.subscribe();
        // The sender lives in `state`: waiting cannot fail.
        held.wait_for(|held| !held).await.ok();
    }
    let Answer { bytes, delivery, .. } = &owed.plan.answer;
    match delivery {
        Delivery::Whole => stream.write_all(bytes).await?,
        Delivery::ResetBefore => {
            stream.set_zero_linger()?;
            return Ok(false);
        }
        Delivery::ResetMidway => {
            stream.write_all(&bytes[..bytes.len() / 2]).await?;
            // A reset overtakes what has not been read yet: let the client read the half.
            sleep(Duration::from_millis(20)).await;
            stream.set_zero_linger()?;
            return Ok(false);
        }
        Delivery::Never => {
            until_closed(stream).await;
            return Ok(false);
        }
        Delivery::OneByteASecond => {
            for byte in bytes.chunks(1) {
                stream.write_all(byte).await?;
                sleep(Duration::from_secs(1)).await;
            }
        }
        Delivery::Padded => {
            let body_at = memchr::memmem::find(bytes, b"\r\n\r\n").map_or(0, |end| end + 4);
            stream.write_all(&bytes[..body_at]).await?;
            let spaces = [b' '; 64 << 10];
            for _ in 0..PADDING / spaces.len() {
                stream.write_all(&spaces).await?;
            }
            stream.write_all(&bytes[body_at..]).await?;
        }
    }
    Ok(true)
}

async fn until_closed(stream: &TcpStream) {
    let mut scrap = [0; 64];
    while stream.readable().await.is_ok() {
        match stream.try_read(&mut scrap) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}

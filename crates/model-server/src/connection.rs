//! Connections: read a call, wait for the model's latency, send the planned reply.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, sleep_until};

use crate::batches;
use crate::error::ApiError;
use crate::http::{self, HttpRequest, HttpResponse};
use crate::reply::Delivery;
use crate::request::Wire;
use crate::state::{Door, Plan, State};
use crate::wire::{self, Endpoint, wire_of};

/// Mean delay of tokio's timers, which count whole milliseconds and round up. Answers begin earlier by it.
const TIMER_LAG: Duration = Duration::from_millis(1);

/// Serves until `stopped` ends.
pub async fn serve(listener: TcpListener, state: Arc<State>, stopped: impl Future) {
    let mut stopped = pin!(stopped);
    loop {
        tokio::select! {
            _ = &mut stopped => return,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let state = state.clone();
                    // A client that breaks off or sends nonsense does not affect the others.
                    tokio::spawn(async move { serve_connection(stream, &state).await.ok() });
                }
                // Out of file descriptors: they are freed as connections end.
                Err(_) => sleep(Duration::from_millis(10)).await,
            }
        }
    }
}

async fn serve_connection(mut stream: TcpStream, state: &Arc<State>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::new();
    while let Some(request) = http::read(&stream, &mut buffer).await? {
        let mut plan = match &request.body {
            Some(body) => respond(state, &request, &buffer[body.clone()]),
            None => Err(wire::error(wire_of(&request), &ApiError::too_large())),
        };
        if let Some(key) = request.key.as_deref().filter(|_| state.echoes_keys()) {
            match &mut plan {
                Ok(plan) => plan.reply.response.echo(key),
                Err(response) => response.echo(key),
            }
        }
        if let Some(body) = request.body {
            if buffer.len() == body.end {
                // An idle connection holds no memory.
                buffer = Vec::new();
            } else {
                buffer.drain(..body.end);
            }
        }
        let reusable = match plan {
            Ok(plan) => answer(&mut stream, state, plan).await?,
            Err(response) => stream.write_all(&response.bytes()).await.map(|()| true)?,
        };
        if !reusable || !request.keep_alive {
            return Ok(());
        }
    }
    Ok(())
}

/// Plans a completion, or answers another request at once.
fn respond(state: &Arc<State>, request: &HttpRequest, body: &[u8]) -> Result<Plan, HttpResponse> {
    let wire = wire_of(request);
    let path = request.path.split('?').next().unwrap_or_default();
    // The address of a started upload is secret by itself.
    let is_open = path == "/counters" || request.path.contains("?upload_id=");
    if !is_open && !state.takes_key(request.key.as_deref()) {
        return Err(wire::error(wire, &ApiError::unauthorized()));
    }
    if wire == Wire::Anthropic && request.wire.is_none() {
        return Err(wire::error(wire, &ApiError::invalid("anthropic-version: header is required", None)));
    }
    match Endpoint::of(path) {
        Some(endpoint) if request.method == "POST" => state.receive(endpoint, body, Door::Call),
        _ => Err(batches::route(state, request, body).unwrap_or_else(|| other_route(request, state))),
    }
}

fn other_route(request: &HttpRequest, state: &State) -> HttpResponse {
    let HttpRequest { method, .. } = request;
    let path = request.path.split('?').next().unwrap_or_default();
    let (wire, model) = (wire_of(request), state.model());
    let not_found = |message: String| wire::error(wire, &ApiError::not_found(message));
    if method != "GET" {
        return not_found(format!("Invalid URL ({method} {path})"));
    }
    match path.rsplit_once("/models") {
        _ if path == "/counters" => match serde_json::to_value(state.counters()) {
            Ok(counters) => HttpResponse::json("200 OK", &counters),
            Err(error) => HttpResponse::json("500 Internal Server Error", &Value::from(error.to_string())),
        },
        Some((_, "")) => wire::model_card(wire, model, true),
        Some((_, name)) if name.strip_prefix('/') == Some(model) => wire::model_card(wire, model, false),
        Some((_, name)) => {
            not_found(format!("The model '{}' does not exist; there is only {model}.", name.trim_matches('/')))
        }
        None => not_found(format!("Invalid URL ({method} {path})")),
    }
}

/// Records the end of the call, even if the client leaves or the server stops during it.
struct Open<'a> {
    state: &'a State,
    plan: Plan,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.state.ended(&self.plan);
    }
}

/// Sends a call's reply when it is due. Returns whether the connection can be used again.
async fn answer(stream: &mut TcpStream, state: &State, plan: Plan) -> io::Result<bool> {
    let open = Open { state, plan };
    sleep_until((open.plan.due - TIMER_LAG).into()).await;
    if *state.held.borrow() {
        let mut held = state.held.subscribe();
        // The sender lives in `state`, so waiting cannot fail.
        held.wait_for(|held| !held).await.ok();
    }
    let response = &open.plan.reply.response;
    match open.plan.reply.delivery {
        Delivery::Whole => stream.write_all(&response.bytes()).await?,
        Delivery::ResetBefore => {
            stream.set_zero_linger()?;
            return Ok(false);
        }
        Delivery::ResetMidway => {
            let bytes = response.bytes();
            stream.write_all(&bytes[..bytes.len() / 2]).await?;
            // A reset discards unread bytes, so the client gets time to read the half.
            sleep(Duration::from_millis(20)).await;
            stream.set_zero_linger()?;
            return Ok(false);
        }
        Delivery::Never => {
            until_closed(stream).await;
            return Ok(false);
        }
        Delivery::SilentMidway => {
            let bytes = response.bytes();
            stream.write_all(&bytes[..bytes.len() / 2]).await?;
            until_closed(stream).await;
            return Ok(false);
        }
        Delivery::Paced(interval) => {
            stream.write_all(response.head(response.body.len()).as_bytes()).await?;
            let mut start = 0;
            for end in &response.event_ends {
                sleep(interval).await;
                stream.write_all(&response.body.as_bytes()[start..*end]).await?;
                start = *end;
            }
        }
        Delivery::OneByteASecond => {
            for byte in response.bytes().chunks(1) {
                stream.write_all(byte).await?;
                sleep(Duration::from_secs(1)).await;
            }
        }
        Delivery::Padded(padding) => {
            stream.write_all(response.head(response.body.len() + padding).as_bytes()).await?;
            let spaces = [b' '; 64 << 10];
            for _ in 0..padding / spaces.len() {
                stream.write_all(&spaces).await?;
            }
            stream.write_all(&spaces[..padding % spaces.len()]).await?;
            stream.write_all(response.body.as_bytes()).await?;
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

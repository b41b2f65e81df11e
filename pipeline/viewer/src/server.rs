//! The server: one thread, bounded in connections, memory and time.

use super::client;
use super::controls::{self, Controls};
use super::guard::{Guard, Verdict};
use super::hub::{Hub, Shown, stopped};
use super::metrics::Metrics;
use super::pages;
use super::protocol::LONGEST_MESSAGE;
use super::publisher::Publisher;
use super::settings::{Error, Settings};
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

/// Maps a second that a page gets at most.
pub const FRAMES_PER_SECOND: u32 = 30;

/// Connections beside those of the pages, for requests under way.
const SPARE: usize = 32;

/// How long pages have to take leave at a shutdown.
const LEAVE: Duration = Duration::from_secs(1);

/// What a connection too many is told.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// A running viewer. Dropping it shuts it down.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves what `publisher` shows and `metrics` counts, on a thread of its own; commands come out of the controls.
    pub fn start(
        settings: Settings,
        publisher: &Publisher,
        metrics: Metrics,
    ) -> Result<(Self, Controls), Error> {
        settings.check()?;
        let address = settings.address;
        let refused = |error: std::io::Error| Error::Bind { address, reason: error.to_string() };
        let listener = TcpListener::bind(address).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let no_thread = |error: std::io::Error| Error::Thread(error.to_string());
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(no_thread)?;
        let (stop, stopped) = watch::channel(false);
        let (wishes, controls) = controls::channel();
        let hub = Arc::new(Hub {
            guard: Guard::new(settings.token.clone(), address.port()),
            pages: Arc::new(Semaphore::new(settings.connections)),
            shown: Shown::default(),
            boxes: publisher.boxes(),
            stop: stopped,
            settings,
            metrics,
            wishes,
        });
        let work = move || {
            runtime.block_on(run(listener, hub));
            runtime.shutdown_timeout(LEAVE);
        };
        let thread = std::thread::Builder::new().name("viewer".into()).spawn(work).map_err(no_thread)?;
        Ok((Self { address, stop, thread: Some(thread) }, controls))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Tells all pages, closes them and waits for the thread; at most about two seconds.
    pub fn shutdown(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // A panic of that thread was printed by itself; the pipeline goes on.
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// Everything that the thread does.
async fn run(listener: TcpListener, hub: Arc<Hub>) {
    // Registration with the runtime fails only where it has no I/O driver, and this one has.
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let router = router(&hub);
    let connections = Arc::new(Semaphore::new(hub.settings.connections + SPARE));
    let mut tick = interval(Duration::from_secs(1) / FRAMES_PER_SECOND);
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut stop = hub.stop.clone();
    loop {
        tokio::select! {
            biased;
            () = stopped(&mut stop) => break,
            _ = tick.tick() => hub.shown.collect(&hub.boxes),
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => admit(stream, &connections, &router, &hub),
                // Out of file handles, most likely: let some be closed.
                Err(_) => sleep(Duration::from_millis(50)).await,
            },
        }
    }
    drop(listener);
    let all = u32::try_from(hub.settings.connections).unwrap_or(u32::MAX);
    // Those who do not take leave in time are cut off with the runtime.
    let _ = timeout(LEAVE, hub.pages.acquire_many(all)).await;
}

/// Serves a connection, or turns it away.
fn admit(stream: TcpStream, connections: &Arc<Semaphore>, router: &Router, hub: &Hub) {
    let Ok(permit) = Arc::clone(connections).try_acquire_owned() else {
        hub.metrics.refused.inc();
        // It fits the socket's empty buffer, or the peer is gone.
        let _ = stream.try_write(FULL);
        return;
    };
    // Small messages must not wait for large ones to be acknowledged.
    let _ = stream.set_nodelay(true);
    let patience = hub.settings.patience;
    let service = TowerToHyperService::new(router.clone());
    tokio::spawn(async move {
        let _permit = permit;
        let mut http = hyper::server::conn::http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(patience.head).max_buf_size(LONGEST_MESSAGE);
        let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        // Whatever went wrong concerns this client alone.
        let _ = timeout(patience.request, connection).await;
    });
}

fn router(hub: &Arc<Hub>) -> Router {
    Router::new()
        .route("/ws", get(open))
        .route("/metrics", get(metrics))
        .route("/healthz", get(|| async { "ok\n" }))
        .fallback(get(file))
        .layer(from_fn_with_state(Arc::clone(hub), guard))
        .with_state(Arc::clone(hub))
}

/// Lets requests pass by the guard's rules, and puts the common headers on every answer.
async fn guard(State(hub): State<Arc<Hub>>, request: Request, next: Next) -> Response {
    let mut response = match hub.guard.judge(request.headers(), request.uri().query()) {
        Verdict::Pass => next.run(request).await,
        Verdict::Welcome => {
            // Always this server's own page: a path such as //elsewhere would lead to another.
            let headers = [(SET_COOKIE, hub.guard.set_cookie()), (LOCATION, "/".to_owned())];
            (StatusCode::SEE_OTHER, headers).into_response()
        }
        Verdict::Refuse(status, reason) => {
            hub.metrics.refused.inc();
            (status, reason).into_response()
        }
    };
    for (name, value) in pages::HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn file(uri: Uri) -> Response {
    match pages::find(uri.path()) {
        Some((kind, text)) => ([(CONTENT_TYPE, kind)], text).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn metrics(State(hub): State<Arc<Hub>>) -> Response {
    const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(CONTENT_TYPE, KIND)], hub.metrics.to_text()).into_response()
}

async fn open(State(hub): State<Arc<Hub>>, upgrade: WebSocketUpgrade) -> Response {
    let Ok(permit) = Arc::clone(&hub.pages).try_acquire_owned() else {
        hub.metrics.refused.inc();
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open").into_response();
    };
    let page = Page::new(permit, &hub);
    upgrade.max_message_size(LONGEST_MESSAGE).max_frame_size(LONGEST_MESSAGE).on_upgrade(
        |socket| async move {
            client::serve(socket, Arc::clone(&page.hub)).await;
            drop(page);
        },
    )
}

/// A page that counts as long as it is there.
struct Page {
    hub: Arc<Hub>,
    _permit: OwnedSemaphorePermit,
}

impl Page {
    fn new(permit: OwnedSemaphorePermit, hub: &Arc<Hub>) -> Self {
        hub.boxes.viewers.fetch_add(1, Ordering::Relaxed);
        hub.metrics.viewers.inc();
        Self { hub: Arc::clone(hub), _permit: permit }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.hub.boxes.viewers.fetch_sub(1, Ordering::Relaxed);
        self.hub.metrics.viewers.dec();
    }
}

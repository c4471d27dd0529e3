//! An HTTP server that keeps its port on 127.0.0.1 while it is stopped and started.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::Router;
use tokio::{
    net::TcpSocket,
    runtime::{Builder, Runtime},
};

/// Locks a mutex and ignores poisoning: the test that panicked has already failed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Like [`lock`], for exclusive access.
pub(crate) fn unlocked<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}

/// The server. While it is stopped, its port refuses connections and no other process can use it.
#[derive(Debug)]
pub(crate) struct LocalServer {
    router: Router,
    address: SocketAddr,
    running: Mutex<Option<Runtime>>,
    _holder: TcpSocket,
}

impl LocalServer {
    /// Reserves a free port without listening.
    pub(crate) fn down(router: Router) -> Self {
        let holder = bound(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let address = holder.local_addr().unwrap();
        Self { router, address, running: Mutex::new(None), _holder: holder }
    }

    /// Reserves a free port and listens.
    pub(crate) fn start(router: Router) -> Self {
        let server = Self::down(router);
        server.up();
        server
    }

    /// Listens on the port.
    pub(crate) fn up(&self) {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = {
            let _inside = runtime.enter();
            bound(self.address).listen(128).unwrap()
        };
        let router = self.router.clone();
        drop(runtime.spawn(async move { axum::serve(listener, router).await }));
        *lock(&self.running) = Some(runtime);
    }

    /// Stops listening and breaks all connections, like a killed process.
    pub(crate) fn stop(&self) {
        if let Some(runtime) = lock(&self.running).take() {
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
    }

    /// `http://127.0.0.1:PORT`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The port number.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn bound(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(address).unwrap();
    socket
}

//! The user's wish to stop, seen by everyone who waits.

use tokio::sync::watch;

/// The receiving end: cheap to clone, can be asked and awaited.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<bool>);

#[derive(Debug)]
pub struct StopSwitch(watch::Sender<bool>);

impl Stop {
    /// A pair of ends.
    pub fn new() -> (StopSwitch, Self) {
        let (sender, receiver) = watch::channel(false);
        (StopSwitch(sender), Self(receiver))
    }

    /// Whether it was requested.
    pub fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns once it is requested; never, if the switch is gone.
    pub async fn requested(&self) {
        if self.0.clone().wait_for(|stop| *stop).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl StopSwitch {
    pub fn request(&self) {
        self.0.send_replace(true);
    }
}

/// Requests a stop at the first Ctrl-C, TERM or HUP.
pub fn stop_on_signals(switch: StopSwitch) {
    tokio::spawn(async move {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            match (signal(SignalKind::terminate()), signal(SignalKind::hangup())) {
                (Ok(mut terminate), Ok(mut hangup)) => {
                    tokio::select! {
                        _ = tokio::signal::ctrl_c() => {}
                        _ = terminate.recv() => {}
                        _ = hangup.recv() => {}
                    }
                }
                (Err(_), _) | (_, Err(_)) => {
                    tokio::signal::ctrl_c().await.ok();
                }
            }
        }
        #[cfg(not(unix))]
        tokio::signal::ctrl_c().await.ok();
        switch.request();
        // Kept alive, so that those who wait see the request and not a closed channel.
        std::future::pending::<()>().await;
    });
}

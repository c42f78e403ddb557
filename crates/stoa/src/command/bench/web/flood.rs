//! A flood of wrong passwords, from many addresses and for names that nobody has; and beside it
//! people who look at pages, and one who signs in again and again.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use stoa_web::login::forgery::FormToken;

use super::client::Client;
use super::community::PASSWORD;
use super::load::{Loaded, together};
use crate::command::bench::store::Stopwatch;

/// Addresses that the flood comes from.
const ADDRESSES: usize = 32;
/// Connections on which it comes: as many as wait for a place, and more that are turned away.
const CONNECTIONS: usize = 256;
/// Wrong passwords a second, all connections together.
const A_SECOND: f64 = 1_000.0;
/// Pauses of whoever looks at pages or signs in meanwhile: people read.
const READING: Duration = Duration::from_millis(20);
const BETWEEN: Duration = Duration::from_millis(500);

/// What people found while the flood came.
pub(super) struct Flooded {
    /// Pages, as long as they took.
    pub(super) pages: Loaded,
    /// Signing in with the right password.
    pub(super) sign_ins: Loaded,
    /// Wrong passwords that came a second.
    pub(super) came_a_second: f64,
}

/// Floods a site for so long.
pub(super) fn flood(address: SocketAddr, guests: &[String], length: Duration) -> Result<Flooded> {
    let (watch, is_over) = (Stopwatch::start(), AtomicBool::new(false));
    let (watch, is_over) = (&watch, &is_over);
    std::thread::scope(|scope| {
        let flooding = scope.spawn(move || wrong(address, watch, is_over));
        let looking = scope.spawn(move || {
            together(4, |number| {
                again(is_over, READING, || {
                    let path = ["/", "/ranking"].get(number % 2).context("no page")?;
                    let mut client = Client::connect(address)?;
                    let answer = client.get(path, "")?;
                    ensure!(answer.status == 200, "{path} is {}", answer.status);
                    Ok(())
                })
            })
        });
        let signing = scope.spawn(move || {
            together(1, |_| {
                // Each in turn, from an address of their own: nobody runs out of tries.
                let mut turns = (0..guests.len()).cycle();
                again(is_over, BETWEEN, || {
                    let turn = turns.next().context("nobody to sign in")?;
                    let name = guests.get(turn).context("nobody to sign in")?;
                    sign_in(address, name, &format!("203.0.113.{}", turn % 250))
                })
            })
        });
        pause(length);
        is_over.store(true, Ordering::Release);
        let took = watch.elapsed();
        let broke = |_| anyhow::anyhow!("a visitor broke off");
        let (pages, sign_ins) = (
            looking.join().map_err(broke)??,
            signing.join().map_err(broke)??,
        );
        let came = flooding.join().map_err(broke)??;
        Ok(Flooded {
            pages: Loaded::of(pages, took),
            sign_ins: Loaded::of(sign_ins, took),
            came_a_second: came as f64 / took.as_secs_f64(),
        })
    })
}

#[expect(clippy::disallowed_methods, reason = "a load has a pace")]
fn pause(length: Duration) {
    std::thread::sleep(length);
}

/// Does something again and again until it is over, once in any case; how long it took each time.
fn again(
    is_over: &AtomicBool,
    between: Duration,
    mut act: impl FnMut() -> Result<()>,
) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    while times.is_empty() || !is_over.load(Ordering::Acquire) {
        let one = Stopwatch::start();
        act()?;
        times.push(one.elapsed());
        pause(between);
    }
    Ok(times)
}

/// Signs in from a browser that was never here. Where it is told to come again, it comes again: that
/// is part of how long it took.
fn sign_in(address: SocketAddr, name: &str, from: &str) -> Result<()> {
    let mut client = Client::connect(address)?;
    loop {
        let form = format!("name={name}&password={}", PASSWORD.replace(' ', "+"));
        match post(&mut client, from, &form)? {
            303 => return Ok(()),
            503 => pause(Duration::from_millis(100)),
            other => anyhow::bail!("signing in is answered {other}"),
        }
    }
}

/// Sends wrong passwords as they are due, until it is over; how many.
fn wrong(address: SocketAddr, watch: &Stopwatch, is_over: &AtomicBool) -> Result<usize> {
    let parts = together(CONNECTIONS, |number| {
        let mut client = Client::connect(address)?;
        let mut times = Vec::new();
        while !is_over.load(Ordering::Acquire) {
            let turn = times.len() * CONNECTIONS + number;
            let due = Duration::from_secs_f64(turn as f64 / A_SECOND);
            pause(due.saturating_sub(watch.elapsed()));
            let from = format!("198.51.100.{}", turn % ADDRESSES);
            let form = format!("name=nobody-{turn}&password=wrong-{turn}");
            let one = Stopwatch::start();
            let answer = post(&mut client, &from, &form)?;
            let is_refused = matches!(answer, 422 | 429 | 503);
            ensure!(is_refused, "a wrong password is answered {answer}");
            times.push(one.elapsed());
        }
        Ok(times)
    })?;
    Ok(parts.iter().map(Vec::len).sum())
}

fn post(client: &mut Client, from: &str, form: &str) -> Result<u16> {
    let visitor = "a".repeat(64);
    let form = format!("csrf={}&{form}", FormToken::of(&visitor).text());
    let cookie = format!("stoa_visitor={visitor}");
    Ok(client.post("/sign-in", &cookie, from, &form)?.status)
}

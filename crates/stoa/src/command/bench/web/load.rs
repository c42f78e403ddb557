//! Many visitors at once, each with a connection and in a thread of its own.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use stoa_web::login::forgery::FormToken;

use super::client::Client;
use super::community::Community;
use crate::command::bench::store::Stopwatch;
use crate::command::bench::votes::percentile;

/// What came of a load.
pub(super) struct Loaded {
    times: Vec<Duration>,
    took: Duration,
    at_once: usize,
}

impl Loaded {
    /// What is left where those who did it waited for nothing else.
    pub(super) fn of(parts: Vec<Vec<Duration>>, took: Duration) -> Self {
        let at_once = parts.len();
        Self {
            times: parts.into_iter().flatten().collect(),
            took,
            at_once,
        }
    }

    /// How many a second: by the time that it took, or by the time that was spent in it where other
    /// things were done between.
    pub(super) fn a_second(&self) -> f64 {
        let spent = self.times.iter().sum::<Duration>().as_secs_f64() / self.at_once as f64;
        self.times.len() as f64 / self.took.as_secs_f64().min(spent)
    }

    /// The 99th of a hundred.
    pub(super) fn slowest_millis(&self) -> f64 {
        percentile(&mut self.times.clone(), 99).as_secs_f64() * 1e3
    }
}

/// Whoever looks at pages.
pub(super) struct Visitors<'a> {
    address: SocketAddr,
    pages: &'a [(&'a str, &'a str)],
}

impl<'a> Visitors<'a> {
    /// Pages to look at, each with the cookie that is sent.
    pub(super) fn at(address: SocketAddr, pages: &'a [(&'a str, &'a str)]) -> Self {
        Self { address, pages }
    }

    /// So many at once look at one page after the other, for so long.
    pub(super) fn come(&self, at_once: usize, length: Duration) -> Result<Loaded> {
        let watch = Stopwatch::start();
        let parts = together(at_once, |first| {
            let (mut client, mut times) = (Client::connect(self.address)?, Vec::new());
            let mut at = first;
            // Everybody looks once in any case.
            while times.is_empty() || watch.elapsed() < length {
                let page = self.pages.get(at % self.pages.len().max(1));
                let (path, cookie) = page.context("no page to look at")?;
                let one = Stopwatch::start();
                let answer = client.get(path, cookie)?;
                times.push(one.elapsed());
                ensure!(answer.status == 200, "{path} is {}", answer.status);
                at += 1;
            }
            Ok(times)
        })?;
        Ok(Loaded::of(parts, watch.elapsed()))
    }
}

/// Everybody who is signed in votes so many times, on the state that a page showed just before.
pub(super) fn vote(address: SocketAddr, community: &Community, each: usize) -> Result<Loaded> {
    let watch = Stopwatch::start();
    let parts = together(community.cookies.len(), |number| {
        let cookie = community.cookies.get(number).context("nobody")?;
        let secret = cookie.split_once('=').map_or("", |(_, secret)| secret);
        let token = FormToken::of(secret);
        let from = format!("198.51.{}.{}", number / 250, number % 250);
        let (mut client, mut times) = (Client::connect(address)?, Vec::new());
        for turn in 0..each {
            let at = (number * 7 + turn) % community.policies.len().max(1);
            let policy = community.policies.get(at).context("no policies")?;
            let page = client.get(&format!("/policies/{policy}/x"), cookie)?.text();
            let basis = field(&page, "basis");
            let form = format!("csrf={}&basis={basis}&add=1", token.text());
            let path = format!("/policies/{policy}/-/votes");
            let one = Stopwatch::start();
            let answer = client.post(&path, cookie, &from, &form)?;
            times.push(one.elapsed());
            ensure!(answer.status == 303, "a vote is answered {}", answer.status);
        }
        Ok(times)
    })?;
    Ok(Loaded::of(parts, watch.elapsed()))
}

/// The value of a hidden field; nothing, where there is none or it is empty.
fn field<'a>(page: &'a str, name: &str) -> &'a str {
    let (_, rest) = page
        .split_once(&format!("name=\"{name}\" value=\""))
        .unwrap_or_default();
    rest.split('"').next().unwrap_or_default()
}

/// Does something in so many threads at once; each is told its number.
pub(super) fn together(
    count: usize,
    work: impl Fn(usize) -> Result<Vec<Duration>> + Sync,
) -> Result<Vec<Vec<Duration>>> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|number| scope.spawn(move || work(number)))
            .collect();
        let ended = threads.into_iter().map(|thread| {
            let ended = thread.join();
            ended.map_err(|_| anyhow!("a visitor broke off"))?
        });
        ended.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_in_a_page() {
        let page = "<input name=\"a\" value=\"1\"><input name=\"basis\" value=\"x-y\">";
        assert_eq!((field(page, "basis"), field(page, "none")), ("x-y", ""));
    }

    #[test]
    fn time_spent_on_other_things_is_left_out() {
        let second = Duration::from_secs(1);
        let loaded = Loaded::of(vec![vec![second; 2]; 4], 10 * second);
        assert!((loaded.a_second() - 4.0).abs() < 1e-9);
        let loaded = Loaded::of(vec![vec![second; 2]; 4], second);
        assert!((loaded.a_second() - 8.0).abs() < 1e-9);
        assert!((loaded.slowest_millis() - 1e3).abs() < 1e-9);
    }
}

//! Whatever is changed about an export is found: by the hashes, or by counting, if somebody makes
//! all hashes anew.

use stoa_testkit::rng::Rng;
use stoa_votes::model::PrivacyMode;
use stoa_votes::rules::public_ledger::{DayHasher, LedgerHash, Line};

use super::{export, story, verify};

const TIMES: usize = 60;

/// How an export is changed.
#[derive(Debug, Clone, Copy)]
enum Mutation {
    Changed,
    Removed,
    Duplicated,
    Swapped,
    Added,
    Cut,
}

const MUTATIONS: [Mutation; 6] = [
    Mutation::Changed,
    Mutation::Removed,
    Mutation::Duplicated,
    Mutation::Swapped,
    Mutation::Added,
    Mutation::Cut,
];

fn mutate(lines: &mut Vec<String>, mutation: Mutation, rng: &mut Rng) {
    let (at, other) = (rng.index(lines.len()), rng.index(lines.len()));
    match mutation {
        Mutation::Changed => {
            let line = lines.get_mut(at).unwrap();
            let mut bytes = line.clone().into_bytes();
            let place = rng.index(bytes.len());
            *bytes.get_mut(place).unwrap() = b' ' + u8::try_from(rng.below(95)).unwrap();
            *line = String::from_utf8(bytes).unwrap();
        }
        Mutation::Removed => drop(lines.remove(at)),
        Mutation::Duplicated => lines.insert(at, lines.get(at).unwrap().clone()),
        Mutation::Swapped => lines.swap(at, other),
        Mutation::Added => lines.insert(at, lines.get(other).unwrap().clone()),
        Mutation::Cut => lines.truncate(at),
    }
}

#[tokio::test]
async fn a_line_that_is_changed_missing_or_added_is_found() {
    let mut rng = Rng::new(7);
    for (mode, _) in PrivacyMode::NAMES {
        let whole = export(&story(mode).await.world.votes).await;
        for mutation in MUTATIONS {
            for _ in 0..TIMES {
                let mut lines = whole.clone();
                mutate(&mut lines, mutation, &mut rng);
                if lines.concat() != whole.concat() {
                    let wrong = verify(&lines).wrong;
                    assert!(wrong > 0, "{mode:?} {mutation:?}: {}", lines.concat());
                }
            }
        }
    }
}

/// Makes every hash and every count of lines anew.
fn sealed(lines: &[String]) -> Vec<String> {
    let mut made = Vec::new();
    let mut last = LedgerHash([0; 32]);
    let mut hasher = DayHasher::after(last);
    let (mut inside, mut number) = (0, 0);
    for line in lines {
        let text = line.trim_end();
        let line = match Line::parse(text) {
            Some(Line::Head { .. }) => {
                last = LedgerHash::of_line(text);
                hasher = DayHasher::after(last);
                text.to_owned()
            }
            Some(Line::End { day, .. }) => {
                let hash = hasher.hash();
                let previous = std::mem::replace(&mut last, hash);
                hasher = DayHasher::after(hash);
                number += 1;
                let lines = std::mem::take(&mut inside);
                Line::End {
                    day,
                    lines,
                    previous,
                    hash,
                }
                .to_string()
            }
            Some(Line::Close { .. }) => Line::Close {
                days: number,
                hash: last,
            }
            .to_string(),
            _ => {
                hasher.add(text.as_bytes());
                inside += 1;
                text.to_owned()
            }
        };
        made.push(line + "\n");
    }
    made
}

/// The line with one of its numbers raised by one, for each of them.
fn raised(line: &str) -> Vec<String> {
    let mut made = Vec::new();
    for (at, _) in line.match_indices([':', ',']) {
        let (before, rest) = line.split_at(at + 1);
        let end = rest.find([',', ']', '}']).unwrap_or(0);
        let (number, after) = rest.split_at(end);
        if let Ok(number) = number.parse::<i64>() {
            made.push(format!("{before}{}{after}", number + 1));
        }
    }
    made
}

#[tokio::test]
async fn counting_finds_what_hashes_hide() {
    for mode in [PrivacyMode::Public, PrivacyMode::Pseudonymous] {
        let whole = export(&story(mode).await.world.votes).await;
        assert_eq!(sealed(&whole), whole);
        let inside = |line: &str| {
            let line = Line::parse(line.trim_end());
            !matches!(
                line,
                Some(Line::Head { .. } | Line::End { .. } | Line::Close { .. })
            )
        };
        let mut tried = 0;
        for at in (0..whole.len()).filter(|at| inside(&whole[*at])) {
            let mut lines = whole.clone();
            let removed = lines.remove(at);
            let report = verify(&sealed(&lines));
            assert!(report.wrong > 0, "{mode:?}: without {removed}");
            for line in raised(&removed) {
                let mut lines = whole.clone();
                lines[at] = line;
                let report = verify(&sealed(&lines));
                assert!(report.wrong > 0, "{mode:?}: {} for {removed}", lines[at]);
                tried += 1;
            }
        }
        assert!(tried > 100, "{tried}");
    }
}

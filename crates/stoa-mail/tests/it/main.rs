//! Letters given to a small SMTP server on this machine, which behaves as it is told.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod server;

use std::time::Duration;

use server::{Habit, Small};
use stoa_mail::{Delivery, Letter, NewLetter, Password, Post, Server};
use uuid::Uuid;

fn letter(subject: &str, text: &str) -> Letter {
    let new = NewLetter {
        id: Uuid::from_u128(0xabc),
        to: "ada@example.org".to_owned(),
        subject: subject.to_owned(),
        text: text.to_owned(),
        html: None,
        created_micros: 1_794_960_000_000_000,
    };
    Letter::new(new).unwrap()
}

fn post(small: &Small) -> Post {
    let uri = format!("smtp://127.0.0.1:{}", small.port());
    let server = Server::of_uri(&uri, None, "votes@example.org", "Wähler, the \"Votes\"");
    Post::new(server.unwrap()).within(Duration::from_secs(20))
}

async fn send(habit: Habit) -> (Delivery, Vec<String>) {
    let small = Small::start(habit);
    let delivery = post(&small).send(&letter("Hello", "Hello.\n")).await;
    (delivery, small.heard())
}

#[tokio::test]
async fn a_letter_arrives_as_it_was_written() {
    let small = Small::start(Habit::Takes);
    let subject = "Bestätige, 東京: =?utf-8?q?x?=";
    let text = "Dear Ada,\n.\n..\nFrom here: \u{e9}\n";
    let sent = post(&small).send(&letter(subject, text)).await;
    assert_eq!(sent, Delivery::Delivered);
    let heard = small.heard();
    let has = |line: &str| heard.iter().any(|it| it == line);
    assert!(has("EHLO example.org"), "{heard:#?}");
    assert!(has("MAIL FROM:<votes@example.org>"), "{heard:#?}");
    assert!(has("RCPT TO:<ada@example.org>"), "{heard:#?}");
    assert!(has("To: ada@example.org"), "{heard:#?}");
    assert!(has("Auto-Submitted: auto-generated"), "{heard:#?}");
    assert!(has("Date: Wed, 18 Nov 2026 00:00:00 +0000"), "{heard:#?}");
    let id = "Message-ID: <00000000-0000-0000-0000-000000000abc@example.org>";
    assert!(has(id), "{heard:#?}");
    let subjects: Vec<_> = heard
        .iter()
        .filter(|it| it.starts_with("Subject:"))
        .collect();
    assert_eq!(subjects.len(), 1);
    assert!(heard.iter().all(|it| it.is_ascii()), "{heard:#?}");
    assert!(heard.iter().all(|it| !it.to_lowercase().starts_with("bcc")));

    let again = Small::start(Habit::Takes);
    post(&again).send(&letter(subject, text)).await;
    assert_eq!(again.heard(), heard, "the same letter has the same bytes");
}

#[tokio::test]
async fn a_letter_with_html_has_both_parts() {
    let small = Small::start(Habit::Takes);
    let new = NewLetter {
        id: Uuid::from_u128(1),
        to: "ada@example.org".to_owned(),
        subject: "Hello".to_owned(),
        text: "plain words".to_owned(),
        html: Some("<p>other words</p>".to_owned()),
        created_micros: 0,
    };
    let sent = post(&small).send(&Letter::new(new).unwrap()).await;
    assert_eq!(sent, Delivery::Delivered);
    let heard = small.heard().join("\n");
    for part in ["multipart/alternative", "plain words", "<p>other words</p>"] {
        assert!(heard.contains(part), "{heard}");
    }
}

#[tokio::test]
async fn what_a_server_answers_says_what_became_of_a_letter() {
    for (at, answer, expected) in [
        ("RCPT", "451 4.7.1 greylisted", "later"),
        ("RCPT", "550 5.1.1 <ada@example.org> unknown", "failed"),
        ("MAIL", "452 too much", "later"),
        ("MAIL", "530 5.7.0 sign in first", "closed"),
        ("MAIL", "421 closing", "closed"),
        ("DATA", "554 no", "failed"),
        ("end", "451 later", "later"),
        ("end", "552 too large", "failed"),
        ("EHLO", "554 go away", "closed"),
        ("greeting", "554 go away", "closed"),
        ("RCPT", "what?", "later"),
        ("end", "what?", "unknown"),
    ] {
        let (delivery, _) = send(Habit::Answers(at, answer)).await;
        let (kind, said) = match delivery {
            Delivery::Delivered => ("delivered", String::new()),
            Delivery::Later(said) => ("later", said),
            Delivery::Failed(said) => ("failed", said),
            Delivery::Unknown(said) => ("unknown", said),
            Delivery::Closed(said) => ("closed", said),
        };
        assert_eq!(kind, expected, "{at}: {answer}: {said}");
        assert!(!said.is_empty() && !said.contains('@'), "{said}");
    }
}

#[tokio::test]
async fn a_broken_connection_is_unknown_only_after_the_letter_was_said() {
    for (at, is_unknown) in [("RCPT", false), ("DATA", false), ("end", true)] {
        let (delivery, _) = send(Habit::Drops(at)).await;
        match delivery {
            Delivery::Unknown(_) => assert!(is_unknown, "{at}"),
            Delivery::Later(_) => assert!(!is_unknown, "{at}"),
            other => panic!("{at}: {other:?}"),
        }
    }
    let (delivery, heard) = send(Habit::Drops("greeting")).await;
    assert!(matches!(delivery, Delivery::Closed(_)), "{delivery:?}");
    assert!(heard.is_empty());
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let small = Small::start(Habit::Silent("end"));
    let impatient = post(&small).within(Duration::from_millis(300));
    let delivery = impatient.send(&letter("Hello", "x")).await;
    assert!(matches!(delivery, Delivery::Unknown(_)), "{delivery:?}");
    let small = Small::start(Habit::Silent("greeting"));
    let impatient = post(&small).within(Duration::from_millis(300));
    let delivery = impatient.send(&letter("Hello", "x")).await;
    assert!(matches!(delivery, Delivery::Closed(_)), "{delivery:?}");
}

#[tokio::test]
async fn nobody_there_and_no_encryption_are_closed_doors() {
    let port = {
        let small = Small::start(Habit::Takes);
        small.stop();
        small.port()
    };
    let from = "votes@example.org";
    let uri = format!("smtp://127.0.0.1:{port}");
    let gone = Post::new(Server::of_uri(&uri, None, from, "").unwrap());
    let delivery = gone.send(&letter("Hello", "x")).await;
    assert!(matches!(delivery, Delivery::Closed(_)), "{delivery:?}");

    // By another name of this machine encryption is a must, which the small server has not.
    let small = Small::start(Habit::Takes);
    let uri = format!("smtp://ada@127.0.0.2:{}", small.port());
    let password = Some(Password::new("secret"));
    let server = Server::of_uri(&uri, password, from, "").unwrap();
    let delivery = Post::new(server).send(&letter("Hello", "x")).await;
    assert!(matches!(delivery, Delivery::Closed(_)), "{delivery:?}");
    let heard = small.heard();
    assert!(heard.iter().all(|it| !it.starts_with("AUTH")), "{heard:?}");
}

#[tokio::test]
async fn a_login_is_used() {
    let small = Small::start(Habit::Takes);
    let uri = format!("smtp://ada@localhost:{}", small.port());
    let password = Some(Password::new("secret"));
    let server = Server::of_uri(&uri, password, "votes@example.org", "");
    let sent = Post::new(server.unwrap()).send(&letter("Hello", "x")).await;
    assert_eq!(sent, Delivery::Delivered);
    assert!(small.heard().iter().any(|it| it.starts_with("AUTH PLAIN ")));
}

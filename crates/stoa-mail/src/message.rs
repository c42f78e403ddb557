//! A letter as the lines that SMTP carries.

use std::time::{Duration, SystemTime};

use lettre::Message;
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};

use crate::letter::Letter;

/// The message of a letter. The same letter gives the same bytes, with the same Message-ID.
pub(crate) fn message(letter: &Letter, from: &Mailbox) -> Result<Message, lettre::error::Error> {
    let parts = &letter.parts;
    let created = u64::try_from(parts.created_micros).unwrap_or(0);
    let id = format!("<{}@{}>", parts.id, from.email.domain());
    let builder = Message::builder()
        .from(from.clone())
        .to(Mailbox::new(None, letter.to.clone()))
        .subject(parts.subject.clone())
        .date(SystemTime::UNIX_EPOCH + Duration::from_micros(created))
        .message_id(Some(id))
        .header(AutoSubmitted);
    match &parts.html {
        None => builder.singlepart(plain(&parts.text)),
        Some(html) => {
            let page = SinglePart::builder().header(ContentType::TEXT_HTML);
            let page = page.body(html.clone());
            let both = MultiPart::alternative().boundary(format!("part-{}", parts.id));
            builder.multipart(both.singlepart(plain(&parts.text)).singlepart(page))
        }
    }
}

fn plain(text: &str) -> SinglePart {
    let plain = SinglePart::builder().header(ContentType::TEXT_PLAIN);
    plain.body(text.to_owned())
}

/// Says that nobody wrote it by hand, so that answering machines keep still (RFC 3834).
#[derive(Debug, Clone, Copy)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

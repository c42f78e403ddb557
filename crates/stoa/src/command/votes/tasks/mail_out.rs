//! The outbox of votes on one side, a mail server on the other: a mail becomes a letter, and the
//! letter is given away.

use stoa_mail::{Delivery, Post, Texts};
use stoa_votes::tables::outbox::Mail;
use stoa_votes::tasks::send_mail::{MailOut, Posted, Sending};

/// Sends mail by one server, in the name of one site.
#[derive(Debug)]
pub(super) struct Mailer {
    pub(super) texts: Texts,
    pub(super) post: Post,
}

impl Mailer {
    async fn give_away(&self, mail: &Mail) -> Posted {
        let letter = self.texts.letter(
            &mail.kind,
            &mail.fields,
            &mail.recipient,
            mail.id,
            mail.created_micros,
        );
        match letter {
            Ok(letter) => posted(self.post.send(&letter).await),
            // The same mail gives the same again, however often it is tried.
            Err(none) => Posted::Failed(none.to_string()),
        }
    }
}

impl MailOut for Mailer {
    fn send<'a>(&'a self, mail: &'a Mail) -> Sending<'a> {
        Box::pin(self.give_away(mail))
    }
}

/// What the outbox makes of a delivery. One that nobody knows of is tried again: a letter that
/// comes twice is better than none, and both have the same Message-ID.
fn posted(delivery: Delivery) -> Posted {
    match delivery {
        Delivery::Delivered => Posted::Delivered,
        Delivery::Later(why) | Delivery::Unknown(why) => Posted::Later(why),
        Delivery::Failed(why) => Posted::Failed(why),
        Delivery::Closed(why) => Posted::Closed(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_taken_is_delivered_and_what_is_unknown_is_tried_again() {
        let why = || "so".to_owned();
        for (delivery, expected) in [
            (Delivery::Delivered, Posted::Delivered),
            (Delivery::Later(why()), Posted::Later(why())),
            (Delivery::Unknown(why()), Posted::Later(why())),
            (Delivery::Failed(why()), Posted::Failed(why())),
            (Delivery::Closed(why()), Posted::Closed(why())),
        ] {
            assert_eq!(posted(delivery), expected);
        }
    }
}

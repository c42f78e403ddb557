//! What admins look at: accounts by name or address, and mail that waits.

use std::collections::{BTreeMap, BTreeSet};

use stoa_types::Ids as _;
use stoa_votes::model::{By, Day, Role, UserState};
use stoa_votes::ops::read_outbox::Which;
use stoa_votes::tables::outbox::{Delivery, Mail};
use uuid::Uuid;

use crate::accounts::code;
use crate::world::{MONDAY, World};

async fn admin(world: &World) -> By {
    let account = world.member("annie").await;
    let granted = world
        .votes
        .grant_role(By::Operator, account.user, Role::Admin);
    granted.await.unwrap();
    By::User(account.user)
}

#[tokio::test]
async fn an_account_is_found_by_its_whole_name_or_address_by_those_who_may() {
    let world = World::new().await;
    let (annie, ada) = (admin(&world).await, world.member("ada").await);
    let votes = &world.votes;
    for named in ["ada", " @ADA ", "ada@example.org", "ADA@EXAMPLE.ORG"] {
        let found = votes.find_account(annie, named).await.unwrap();
        assert_eq!((found.user, found.state), (ada.user, UserState::Active));
        assert_eq!((found.name.as_str(), found.joined), ("ada", MONDAY));
    }
    for nobody in ["ad", "", "ada@example.com", "<script>"] {
        let found = votes.find_account(annie, nobody).await;
        assert_eq!(code(found), "no_such_user", "{nobody}");
    }
    let own = votes.find_account(By::User(ada.user), "ada").await;
    assert_eq!(code(own), "not_allowed");
    votes.leave(ada.user).await.unwrap();
    assert_eq!(code(votes.find_account(annie, "ada").await), "no_such_user");
}

#[tokio::test]
async fn mail_is_listed_by_what_became_of_it_and_reading_one_is_written_down() {
    let world = World::new().await;
    let (annie, ada) = (admin(&world).await, world.member("ada").await);
    let (votes, outbox) = (&world.votes, &world.votes.tables().outbox);
    let listed = votes.outbox(annie, MONDAY, Which::All, None).await.unwrap();
    assert_eq!((listed.mails.len(), listed.next), (2, None));
    let to_ada = |it: &&stoa_votes::tables::outbox::Listed| {
        it.recipient.as_deref() == Some("ada@example.org")
    };
    let id = listed.mails.iter().find(to_ada).unwrap().id;
    let refused = votes.read_mail(By::User(ada.user), MONDAY, id).await;
    assert_eq!(code(refused), "not_allowed");
    let refused = votes.outbox(By::User(ada.user), MONDAY, Which::All, None);
    assert_eq!(code(refused.await), "not_allowed");
    let mail = votes.read_mail(annie, MONDAY, id).await.unwrap().unwrap();
    assert_eq!(mail.kind, "verify_email");
    assert!(mail.fields.contains_key("token"));
    let noted = votes.audit_log(annie, MONDAY, None, 100).await.unwrap();
    let read = |it: &&stoa_votes::ops::audit_log::AuditEntry| it.entry.action == "read_mail";
    let read: Vec<_> = noted.entries.iter().filter(read).collect();
    assert_eq!(read.len(), 1);
    assert!(read[0].entry.target.ends_with(&id.to_string()) && !read[0].is_public);
    // What was sent has nothing in it any more.
    outbox.finish(MONDAY, id, Delivery::Sent).await.unwrap();
    assert_eq!(votes.read_mail(annie, MONDAY, id).await.unwrap(), None);
    let count = async |which| {
        let page = votes.outbox(annie, MONDAY, which, None).await.unwrap();
        page.mails.len()
    };
    assert_eq!(count(Which::Waiting).await, 1);
    assert_eq!(count(Which::Sent).await, 1);
    assert_eq!(count(Which::Failed).await, 0);
    let sent = votes.outbox(annie, MONDAY, Which::Sent, None).await;
    assert_eq!(sent.unwrap().mails[0].recipient, None);
}

#[tokio::test]
async fn much_mail_is_listed_in_parts_and_none_of_it_twice() {
    let world = World::new().await;
    let annie = admin(&world).await;
    let (votes, outbox) = (&world.votes, &world.votes.tables().outbox);
    let day = MONDAY.next();
    let mut failed = BTreeSet::new();
    for number in 0..350 {
        let mail = Mail {
            day,
            id: world.ids.uuid(),
            recipient: "ada@example.org".to_owned(),
            kind: "digest".to_owned(),
            fields: BTreeMap::new(),
            created_micros: day.start_micros(),
        };
        outbox.put(&mail).await.unwrap();
        if number % 2 == 0 {
            outbox.finish(day, mail.id, Delivery::Failed).await.unwrap();
            failed.insert(mail.id);
        }
    }
    let all = async |which| {
        let (mut seen, mut after): (Vec<Uuid>, Option<Uuid>) = (Vec::new(), None);
        loop {
            let page = votes.outbox(annie, day, which, after).await.unwrap();
            assert!(page.mails.len() <= 100);
            seen.extend(page.mails.iter().map(|it| it.id));
            after = page.next;
            if after.is_none() {
                return seen;
            }
        }
    };
    assert_eq!(all(Which::All).await.len(), 350);
    let found: BTreeSet<Uuid> = all(Which::Failed).await.into_iter().collect();
    assert_eq!(found, failed);
    let other: Day = MONDAY.plus(3);
    assert_eq!(
        votes
            .outbox(annie, other, Which::All, None)
            .await
            .unwrap()
            .mails,
        []
    );
}

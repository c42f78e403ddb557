//! What there is to be found, and what of it changed since an index was refreshed.
//!
//! Titles, names and states are in lists that are read as a whole. Texts are read only of what
//! changed: a description by the number of its version, the comments of a policy by when they were
//! counted last. For a day a comment may be edited without being counted, so the comments of policies
//! about which somebody wrote lately are read again every ten minutes. One refresh reads the comments
//! of so many policies; the next one goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use stoa_search::{Document, Kind};
use stoa_session::Error;
use uuid::Uuid;

use crate::model::{PolicyId, PolicyState, TagId, TagState};
use crate::rules::comments::EDIT_MICROS;
use crate::tables::discussion::DiscussionStamp;
use crate::tables::pages::ListedPage;
use crate::tables::talk::comments::Outline;
use crate::votes::Votes;

/// Policies whose comments one refresh reads.
const MOST_DISCUSSIONS: usize = 500;
/// Comments of one policy that are found: the last ones, if there are more.
const MOST_COMMENTS: usize = 2_000;
/// How often comments that may be edited are read again.
const AGAIN_MICROS: i64 = 600_000_000;

/// What is in an index.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// A digest of each document, or of what its text is known by.
    digests: BTreeMap<(Kind, Uuid), u64>,
    /// The comments of policies.
    discussions: BTreeMap<PolicyId, Discussed>,
    /// When the tables were read for it, in microseconds since 1970.
    pub(super) through_micros: i64,
}

/// The comments of a policy that are in an index.
#[derive(Debug, Clone, Default)]
struct Discussed {
    counted_micros: i64,
    read_micros: i64,
    comments: BTreeSet<Uuid>,
}

/// What a refresh found.
#[derive(Debug)]
pub(super) struct Gathered {
    /// What changed.
    pub(super) documents: Vec<Document>,
    /// What is in the index then.
    pub(super) known: Known,
    /// What it was compared with; none if with nothing.
    pub(super) since_micros: Option<i64>,
}

impl Known {
    /// What was in an index before, and is no more.
    pub(super) fn gone_since(&self, before: &Self) -> Vec<(Kind, Uuid)> {
        let gone = before.digests.keys();
        let gone = gone.filter(|key| !self.digests.contains_key(key));
        gone.copied().collect()
    }
}

/// What is gathered, compared with what was known.
struct Gathering {
    before: Known,
    after: Known,
    documents: Vec<Document>,
}

impl Gathering {
    /// Notes something; whether it changed.
    fn note(&mut self, kind: Kind, id: Uuid, digest: u64) -> bool {
        let key = (kind, id);
        self.after.digests.insert(key, digest);
        self.before.digests.get(&key) != Some(&digest)
    }

    fn add(&mut self, document: Document) {
        let digest = digest(&document);
        if self.note(document.kind, document.id, digest) {
            self.documents.push(document);
        }
    }
}

impl Votes {
    /// Everything that people may find, as far as it changed.
    pub(super) async fn gather_documents(&self, before: Option<Known>) -> Result<Gathered, Error> {
        let since_micros = before.as_ref().map(|known| known.through_micros);
        let mut gathering = Gathering {
            before: before.unwrap_or_default(),
            after: Known {
                through_micros: self.begin_micros(),
                ..Known::default()
            },
            documents: Vec::new(),
        };
        let listed = self.gather_policies(&mut gathering).await?;
        self.gather_people(&mut gathering).await?;
        self.gather_comments(&listed, &mut gathering).await?;
        Ok(Gathered {
            documents: gathering.documents,
            known: gathering.after,
            since_micros,
        })
    }

    /// Tags, and policies with their texts; the policies.
    async fn gather_policies(&self, all: &mut Gathering) -> Result<BTreeSet<PolicyId>, Error> {
        let policies = self.tables.policies.all().await?;
        let states = policies.into_iter();
        let states: BTreeMap<PolicyId, PolicyState> =
            states.map(|(policy, state, _)| (policy, state)).collect();
        let names = self.tag_names(all).await?;
        let mut tags: BTreeMap<PolicyId, Vec<String>> = BTreeMap::new();
        for of_policy in self.tables.policy_tags.all().await? {
            let named = of_policy.tags.iter().filter_map(|tag| names.get(tag));
            tags.insert(of_policy.policy, named.cloned().collect());
        }
        let mut listed = BTreeSet::new();
        for page in self.tables.pages.all().await? {
            let Some(state) = states.get(&page.policy).copied() else {
                continue;
            };
            if !is_listed(&page, state) {
                continue;
            }
            listed.insert(page.policy);
            let mut document = Document {
                tags: tags.remove(&page.policy).unwrap_or_default(),
                category: Some(page.category.clone()),
                state: Some(state.name().to_owned()),
                stamp_micros: page.created_micros,
                ..Document::new(Kind::Policy, page.policy.0, page.title.as_str())
            };
            let known_by = hash_of(&(digest(&document), page.text_version));
            if all.note(Kind::Policy, page.policy.0, known_by) {
                let version = page.text_version.unwrap_or(1);
                let text = self.tables.pages.text(page.policy, version).await?;
                document.text = text.map(|it| it.text.description).unwrap_or_default();
                all.documents.push(document);
            }
        }
        Ok(listed)
    }

    /// Adds tags that are active, and answers every name that a tag leads to.
    async fn tag_names(&self, all: &mut Gathering) -> Result<BTreeMap<TagId, String>, Error> {
        let tags = self.tables.tags.all().await?;
        let mut names = BTreeMap::new();
        for (id, tag) in &tags {
            let target = tag.merged_to.and_then(|to| tags.get(&to)).unwrap_or(tag);
            if target.state == TagState::Active {
                names.insert(*id, target.name.clone());
            }
            if tag.state == TagState::Active {
                all.add(Document::new(Kind::Tag, id.0, tag.name.as_str()));
            }
        }
        Ok(names)
    }

    async fn gather_people(&self, all: &mut Gathering) -> Result<(), Error> {
        for person in self.tables.users.people().await? {
            let mut document = Document::new(Kind::Person, person.user.0, person.name);
            document.text = person.real_name.unwrap_or_default();
            all.add(document);
        }
        Ok(())
    }

    async fn gather_comments(
        &self,
        listed: &BTreeSet<PolicyId>,
        all: &mut Gathering,
    ) -> Result<(), Error> {
        let now = all.after.through_micros;
        let mut room = MOST_DISCUSSIONS;
        for stamp in self.tables.discussion.stamps().await? {
            if !listed.contains(&stamp.policy) {
                continue;
            }
            let before = all.before.discussions.remove(&stamp.policy);
            let is_due = before.as_ref().is_none_or(|it| it.is_due(&stamp, now));
            if !is_due || room == 0 {
                all.keep(stamp.policy, before);
                continue;
            }
            room -= 1;
            let comments = self.comments_of(stamp.policy, all).await?;
            let discussed = Discussed {
                counted_micros: stamp.counted_micros,
                read_micros: now,
                comments,
            };
            all.after.discussions.insert(stamp.policy, discussed);
        }
        Ok(())
    }

    /// Adds the comments of a policy that everybody may read; which they are.
    async fn comments_of(
        &self,
        policy: PolicyId,
        all: &mut Gathering,
    ) -> Result<BTreeSet<Uuid>, Error> {
        let comments = &self.tables.talk.comments;
        let outline = comments.outline(policy).await?;
        let shown = outline.iter().filter(|it| Outline::is_readable(it));
        let shown: Vec<_> = shown.take(MOST_COMMENTS).map(|it| it.id).collect();
        let mut found = BTreeSet::new();
        for comment in comments.several(policy, &shown).await? {
            // It may have been removed since.
            if !comment.is_readable() {
                continue;
            }
            found.insert(comment.id.0);
            let mut document = Document::new(Kind::Comment, comment.id.0, comment.subject);
            document.text = comment.body;
            document.parent = Some(policy.0);
            document.stamp_micros = comment.id.made_at_micros();
            all.add(document);
        }
        Ok(found)
    }
}

impl Gathering {
    /// Keeps what is in the index of the comments of a policy.
    fn keep(&mut self, policy: PolicyId, before: Option<Discussed>) {
        let Some(before) = before else {
            return;
        };
        for comment in &before.comments {
            let key = (Kind::Comment, *comment);
            if let Some(digest) = self.before.digests.get(&key) {
                self.after.digests.insert(key, *digest);
            }
        }
        self.after.discussions.insert(policy, before);
    }
}

impl Discussed {
    fn is_due(&self, stamp: &DiscussionStamp, now_micros: i64) -> bool {
        let is_editable = now_micros - stamp.last_micros < EDIT_MICROS + AGAIN_MICROS;
        stamp.counted_micros != self.counted_micros
            || (is_editable && now_micros - self.read_micros >= AGAIN_MICROS)
    }
}

/// Whether people may find a policy.
fn is_listed(page: &ListedPage, state: PolicyState) -> bool {
    let is_gone = matches!(state, PolicyState::PendingDeletion | PolicyState::Deleted);
    state.is_visible() && !is_gone && page.is_hidden != Some(true)
}

/// Tells whether a document changed, within one run of the program.
fn digest(document: &Document) -> u64 {
    let Document {
        kind,
        id,
        title,
        text,
        tags,
        category,
        state,
        parent,
        stamp_micros,
    } = document;
    hash_of(&(
        (kind, id, title, text, tags),
        (category, state, parent, stamp_micros),
    ))
}

fn hash_of(it: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    it.hash(&mut hasher);
    hasher.finish()
}

//! Comments in lists: who said what about which policy, in a line or two.

use maud::{Markup, html};
use stoa_votes::model::Comment;
use stoa_votes::rules::ranking::RankingBoard;

use crate::error::Failure;
use crate::links;
use crate::markdown;
use crate::pages::policy::{Names, Titles};
use crate::visit::Frame;

/// Characters of a comment in a list.
const MOST_CHARACTERS: usize = 280;

/// What is read for a list of comments.
#[derive(Debug, Default)]
pub(crate) struct Said {
    names: Names,
    titles: Titles,
}

impl Said {
    /// Reads who wrote them, and what they are about.
    pub(crate) async fn read(
        frame: &Frame,
        board: &RankingBoard,
        comments: &[Comment],
    ) -> Result<Self, Failure> {
        let mut said = Self::default();
        let authors = comments.iter().map(|it| it.author).collect();
        said.names.read(frame, authors).await?;
        let policies = comments.iter().map(|it| it.policy).collect();
        said.titles.read(frame, board, policies).await?;
        Ok(said)
    }

    /// The title of the policy of a comment.
    pub(crate) fn title(&self, it: &Comment) -> &str {
        self.titles.of(it.policy)
    }

    /// Who wrote a comment.
    pub(crate) fn author<'a>(&'a self, frame: &'a Frame, it: &Comment) -> &'a str {
        self.names.of(frame, it.author)
    }

    /// A comment of a list.
    pub(crate) fn line(&self, frame: &Frame, it: &Comment) -> Markup {
        let texts = &frame.texts.browse;
        let (title, author) = (self.title(it), self.author(frame, it));
        html! {
            li {
                article {
                    div.meta {
                        b { (self.names.link(frame, it.author)) }
                        span { (frame.texts.format.time(it.id.made_at_micros())) }
                        span { ((texts.about)("")) a href=(links::policy(it.policy, title)) { (title) } }
                    }
                    p.flush { (markdown::plain(&it.body, MOST_CHARACTERS)) }
                    p.small.flush {
                        a href=(links::comment(it.policy, it.id)) {
                            (frame.texts.policy.permalink) span.vh { ": " ((texts.read_on)(author)) }
                        }
                    }
                }
            }
        }
    }
}

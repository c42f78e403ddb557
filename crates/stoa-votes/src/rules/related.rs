//! Which policies are like one: those that share its tags, rare ones above all, and those of its
//! category.
//!
//! The score of two is the sum of how rare their shared tags are, by the number of tags that either
//! has, and a little more if they are of one category. Rare means the logarithm of how many
//! policies there are for each that bears the tag. Two that share neither a tag nor a category are not
//! alike.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{PolicyId, TagId};

/// How many are given.
pub const MOST_RELATED: usize = 10;
/// How many that share a tag are compared with one policy, those of its rarest tags first.
const MOST_COMPARED: usize = 500;
/// What the same category adds.
const SAME_CATEGORY: f64 = 0.25;

/// What is known of a policy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Described {
    /// Its tags.
    pub tags: BTreeSet<TagId>,
    /// Its category; of some there is none.
    pub category: Option<String>,
}

/// Where to look for policies that are alike.
#[derive(Debug, Default)]
struct Index<'a> {
    bearers: BTreeMap<TagId, Vec<PolicyId>>,
    /// The oldest of each category, one more than are given: who shares no tag has the same score as
    /// all others of the category, and equals go by their age.
    oldest: BTreeMap<&'a str, Vec<PolicyId>>,
}

impl<'a> Index<'a> {
    fn new(policies: &'a BTreeMap<PolicyId, Described>) -> Self {
        let mut index = Self::default();
        for (policy, described) in policies {
            for tag in &described.tags {
                index.bearers.entry(*tag).or_default().push(*policy);
            }
            if let Some(category) = &described.category {
                index.oldest.entry(category).or_default().push(*policy);
            }
        }
        for of_category in index.oldest.values_mut() {
            of_category.sort_by_key(|policy| (policy.made_at_micros(), *policy));
            of_category.truncate(MOST_RELATED + 1);
        }
        index
    }

    /// Those that may be among the ones most like a policy, as many as are looked at.
    fn compared(&self, policy: PolicyId, described: &Described) -> BTreeSet<PolicyId> {
        let tags = described.tags.iter();
        let mut lists: Vec<&Vec<PolicyId>> = tags.filter_map(|tag| self.bearers.get(tag)).collect();
        lists.sort_by_key(|list| list.len());
        let others = lists.into_iter().flatten().copied();
        let mut others: BTreeSet<PolicyId> = others.take(MOST_COMPARED).collect();
        let category = described.category.as_deref();
        let same = category.and_then(|category| self.oldest.get(category));
        others.extend(same.into_iter().flatten());
        others.remove(&policy);
        others
    }
}

/// For each policy those that are most like it, the most like it first; equals by their age.
#[must_use]
pub fn related(policies: &BTreeMap<PolicyId, Described>) -> BTreeMap<PolicyId, Vec<PolicyId>> {
    let index = Index::new(policies);
    let rareness = index
        .bearers
        .iter()
        .map(|(tag, bearers)| (*tag, rareness(policies.len(), bearers.len())))
        .collect();
    policies
        .iter()
        .map(|(policy, described)| {
            let others = index.compared(*policy, described);
            let scored = others.into_iter().filter_map(|other| {
                let score = score(described, policies.get(&other)?, &rareness);
                Some((score, other))
            });
            (*policy, best(scored.collect()))
        })
        .collect()
}

fn rareness(policies: usize, bearers: usize) -> f64 {
    let float = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    (1.0 + float(policies) / float(bearers.max(1))).ln()
}

fn score(one: &Described, other: &Described, rareness: &BTreeMap<TagId, f64>) -> f64 {
    let shared = one.tags.intersection(&other.tags);
    let shared: f64 = shared.filter_map(|tag| rareness.get(tag)).sum();
    let either = one.tags.union(&other.tags).count();
    let either = f64::from(u32::try_from(either.max(1)).unwrap_or(u32::MAX));
    let is_same = one.category.is_some() && one.category == other.category;
    shared / either + if is_same { SAME_CATEGORY } else { 0.0 }
}

fn best(mut scored: Vec<(f64, PolicyId)>) -> Vec<PolicyId> {
    scored.sort_by(|(left, one), (right, other)| {
        let by_age = (one.made_at_micros(), one).cmp(&(other.made_at_micros(), other));
        right.total_cmp(left).then(by_age)
    });
    let best = scored.into_iter().map(|(_, policy)| policy);
    best.take(MOST_RELATED).collect()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn policy(number: u128) -> PolicyId {
        PolicyId(Uuid::from_u128(number))
    }

    fn described(tags: &[u128], category: &str) -> Described {
        Described {
            tags: tags.iter().map(|it| TagId(Uuid::from_u128(*it))).collect(),
            category: Some(category.to_owned()),
        }
    }

    fn of(policies: &[(u128, Described)], asked: u128) -> Vec<u128> {
        let policies = policies
            .iter()
            .map(|(number, described)| (policy(*number), described.clone()));
        let found = related(&policies.collect()).remove(&policy(asked));
        let found = found.unwrap().into_iter();
        found.map(|policy| policy.0.as_u128()).collect()
    }

    #[test]
    fn rare_tags_say_more_than_common_ones() {
        let mut policies = vec![
            (1, described(&[1, 2], "health")),
            (2, described(&[1], "tax")),
            (3, described(&[2], "tax")),
        ];
        policies.extend((4..20).map(|number| (number, described(&[1, 9], "tax"))));
        let found = of(&policies, 1);
        assert_eq!(found.first(), Some(&3));
        assert_eq!(found.get(1), Some(&2));
        assert_eq!(found.len(), MOST_RELATED);
    }

    #[test]
    fn many_other_tags_make_policies_less_alike_and_a_category_more() {
        let policies = [
            (1, described(&[1], "health")),
            (2, described(&[1, 2, 3, 4, 5], "health")),
            (3, described(&[1], "tax")),
            (4, described(&[1], "health")),
            (5, described(&[7], "health")),
            (6, Described::default()),
        ];
        assert_eq!(of(&policies, 1), [4, 3, 2, 5]);
        assert!(of(&policies, 6).is_empty());
    }

    #[test]
    fn those_of_a_category_are_alike_without_a_tag_and_less_than_with_one() {
        let mut policies = vec![
            (50, described(&[1], "health")),
            (51, described(&[1], "tax")),
        ];
        policies.extend((1..40).map(|number| (number, described(&[], "health"))));
        // A shared tag that half of all have says more than the category alone.
        policies.extend((60..99).map(|number| (number, described(&[1], "work"))));
        let found = of(&policies, 50);
        assert_eq!(found, (51..52).chain(60..69).collect::<Vec<u128>>());
        assert_eq!(of(&policies, 7), [1, 2, 3, 4, 5, 6, 8, 9, 10, 11]);
        assert_eq!(of(&policies, 30), (1..=10).collect::<Vec<u128>>());
    }

    #[test]
    fn a_tag_that_everybody_has_does_not_make_the_work_endless() {
        let policies = (0..2_000).map(|number| (policy(number), described(&[1], "tax")));
        let found = related(&policies.collect());
        assert_eq!(found.len(), 2_000);
        assert!(found.values().all(|related| related.len() == MOST_RELATED));
    }
}

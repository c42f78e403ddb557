//! Which policies are like one: those that share its tags, rare ones above all.
//!
//! The score of two is the sum of how rare their shared tags are, by the number of tags that either
//! has, and a little more if they are of one category. Rare means the logarithm of how many
//! policies there are for each that bears the tag.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{PolicyId, TagId};

/// How many are given.
pub const MOST_RELATED: usize = 10;
/// How many are compared with one policy, those of its rarest tags first.
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

/// For each policy those that are most like it, the most like it first; equals by their age.
#[must_use]
pub fn related(policies: &BTreeMap<PolicyId, Described>) -> BTreeMap<PolicyId, Vec<PolicyId>> {
    let mut bearers: BTreeMap<TagId, Vec<PolicyId>> = BTreeMap::new();
    for (policy, described) in policies {
        for tag in &described.tags {
            bearers.entry(*tag).or_default().push(*policy);
        }
    }
    let rareness = bearers
        .iter()
        .map(|(tag, bearers)| (*tag, rareness(policies.len(), bearers.len())))
        .collect();
    policies
        .iter()
        .map(|(policy, described)| {
            let others = compared(*policy, described, &bearers);
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

/// Those that share a tag with a policy, as many as are looked at.
fn compared(
    policy: PolicyId,
    described: &Described,
    bearers: &BTreeMap<TagId, Vec<PolicyId>>,
) -> BTreeSet<PolicyId> {
    let mut lists: Vec<&Vec<PolicyId>> = described
        .tags
        .iter()
        .filter_map(|tag| bearers.get(tag))
        .collect();
    lists.sort_by_key(|list| list.len());
    let others = lists.into_iter().flatten().copied();
    let mut others: BTreeSet<PolicyId> = others.take(MOST_COMPARED).collect();
    others.remove(&policy);
    others
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
        assert_eq!(of(&policies, 1), [4, 3, 2]);
        assert!(of(&policies, 5).is_empty());
        assert!(of(&policies, 6).is_empty());
    }

    #[test]
    fn a_tag_that_everybody_has_does_not_make_the_work_endless() {
        let policies = (0..2_000).map(|number| (policy(number), described(&[1], "tax")));
        let found = related(&policies.collect());
        assert_eq!(found.len(), 2_000);
        assert!(found.values().all(|related| related.len() == MOST_RELATED));
    }
}

//! What is found, in which order, and that no query is an error.

use proptest::prelude::*;
use stoa_search::{Document, Index, Kind, Query};
use uuid::Uuid;

use crate::{find, policy, titled};

#[test]
fn many_documents_are_indexed_and_each_is_found() {
    let index = Index::memory().unwrap();
    for id in 0..3_000 {
        let mut document = policy(id, &format!("Policy number{id} of many"));
        document.text = format!("It is the {id}th, which follows from unique{id}.");
        index.upsert(&document).unwrap();
    }
    index.commit(5).unwrap();
    assert_eq!((index.count(), index.stamp_micros()), (3_000, Some(5)));
    for id in [0, 1, 1_499, 2_999] {
        assert_eq!(find(&index, &format!("number{id}")).first(), Some(&id));
        assert_eq!(find(&index, &format!("UNIQUE{id}")).first(), Some(&id));
    }
    let found = index.search(&Query::new("policy many")).unwrap();
    assert_eq!((found.total, found.hits.len()), (3_000, 20));
    assert!(!found.is_loose);
    let mut seen = std::collections::BTreeSet::new();
    for offset in (0..100).step_by(20) {
        let page = Query {
            offset,
            ..Query::new("policy many")
        };
        let hits = index.search(&page).unwrap().hits;
        seen.extend(hits.iter().map(|hit| hit.id));
    }
    assert_eq!(seen.len(), 100);
}

#[test]
fn the_exact_title_comes_first() {
    let index = titled(&[
        "Trees, trees, trees: plant trees everywhere, more trees",
        "Plant trees",
        "Plant more trees along streets",
    ]);
    assert_eq!(find(&index, "plant TREES!").first(), Some(&1));
    assert_eq!(find(&index, "plant trees").len(), 3);
}

#[test]
fn a_title_is_worth_more_than_a_text() {
    let index = Index::memory().unwrap();
    let mut one = policy(1, "Something else");
    one.text = "library library library".to_owned();
    let mut two = policy(2, "Keep every library open at night and on Sundays");
    two.tags = vec!["Culture".to_owned()];
    index.upsert(&one).unwrap();
    index.upsert(&two).unwrap();
    index.commit(1).unwrap();
    assert_eq!(find(&index, "library"), [2, 1]);
    assert_eq!(find(&index, "culture"), [2]);
}

#[test]
fn what_is_not_committed_is_not_found_and_what_is_removed_neither() {
    let index = titled(&["Plant trees", "Build parks"]);
    index.upsert(&policy(0, "Cut hedges")).unwrap();
    index.remove(Kind::Policy, Uuid::from_u128(1));
    assert_eq!(find(&index, "trees"), [0]);
    index.commit(2).unwrap();
    assert!(find(&index, "trees").is_empty());
    assert!(find(&index, "parks").is_empty());
    assert_eq!(find(&index, "hedges"), [0]);
    index.upsert(&policy(3, "Plant trees")).unwrap();
    index.rollback().unwrap();
    index.commit(3).unwrap();
    assert!(find(&index, "trees").is_empty());
    index.clear().unwrap();
    index.commit(4).unwrap();
    assert_eq!(index.count(), 0);
}

#[test]
fn one_mistake_in_a_long_word_is_forgiven_when_little_is_found() {
    let index = titled(&["Libraries open on Sundays", "Trains at night", "Tax cuts"]);
    for text in ["librareis", "librarie", "libraaries", "Libraries sundys"] {
        let found = index.search(&Query::new(text)).unwrap();
        assert_eq!(found.hits.first().unwrap().id.as_u128(), 0, "{text}");
        assert!(found.is_loose, "{text}");
        assert!(!found.hits.first().unwrap().title.marks.is_empty());
    }
    assert!(find(&index, "tex").is_empty());
    assert!(find(&index, "librrariees").is_empty());
}

#[test]
fn kinds_categories_and_states_filter() {
    let index = Index::memory().unwrap();
    for (id, kind, category, state) in [
        (1, Kind::Policy, "health", "active"),
        (2, Kind::Policy, "tax", "active"),
        (3, Kind::Policy, "health", "retired"),
        (4, Kind::Comment, "health", "active"),
    ] {
        let document = Document {
            kind,
            category: Some(category.to_owned()),
            state: Some(state.to_owned()),
            ..policy(id, "Plant trees")
        };
        index.upsert(&document).unwrap();
    }
    index.commit(1).unwrap();
    let ids = |query: &Query| {
        let hits = index.search(query).unwrap().hits;
        let mut ids: Vec<u128> = hits.iter().map(|hit| hit.id.as_u128()).collect();
        ids.sort_unstable();
        ids
    };
    let mut query = Query::new("trees");
    assert_eq!(ids(&query), [1, 2, 3, 4]);
    query.kinds = vec![Kind::Policy, Kind::Tag];
    assert_eq!(ids(&query), [1, 2, 3]);
    query.category = Some("health".to_owned());
    assert_eq!(ids(&query), [1, 3]);
    query.state = Some("active".to_owned());
    assert_eq!(ids(&query), [1]);
    query.category = Some("no such".to_owned());
    assert!(ids(&query).is_empty());
}

#[test]
fn similar_titles_are_found_while_typing() {
    let index = titled(&[
        "Free public transport for everyone",
        "Public libraries open on Sundays",
        "Lower the tax on bicycles",
        "Make public transport free",
    ]);
    let similar = |title: &str| -> Vec<u128> {
        let hits = index.similar(title, Kind::Policy, 5).unwrap();
        hits.iter().map(|hit| hit.id.as_u128()).collect()
    };
    let near = similar("Free public transprot");
    assert_eq!(near.len(), 3);
    assert!([0, 3].contains(near.first().unwrap()) && [0, 3].contains(near.get(1).unwrap()));
    assert_eq!(similar("bicy"), [2]);
    assert_eq!(similar("make PUBLIC transport free").first(), Some(&3));
    assert!(similar("b").is_empty());
    assert!(similar("").is_empty());
    assert!(similar("bicy ").is_empty());
    let hits = index.similar("bicy", Kind::Policy, 5).unwrap();
    let title = &hits.first().unwrap().title;
    let mark = title.marks.first().unwrap().clone();
    assert_eq!(title.text.get(mark), Some("bicycles"));
    assert!(index.similar("bicy", Kind::Tag, 5).unwrap().is_empty());
}

#[test]
fn other_scripts_are_found() {
    let index = titled(&["東京に木を植える", "Больше деревьев", "Ağaç dikin"]);
    assert_eq!(find(&index, "木"), [0]);
    assert_eq!(find(&index, "ДЕРЕВЬЕВ"), [1]);
    assert_eq!(find(&index, "agac"), [2]);
}

#[test]
fn limits_hold_for_whatever_is_asked() {
    let index = titled(&["Plant trees"]);
    let mut query = Query::new("trees");
    (query.most, query.offset) = (usize::MAX, 0);
    assert_eq!(index.search(&query).unwrap().hits.len(), 1);
    query.offset = usize::MAX;
    assert!(index.search(&query).unwrap().hits.is_empty());
    (query.most, query.offset) = (0, 0);
    let found = index.search(&query).unwrap();
    assert_eq!((found.hits.len(), found.total), (0, 1));
    let long = "trees ".repeat(200_000);
    assert_eq!(find(&index, &long), [0]);
    let huge = "x".repeat(5_000_000);
    assert!(find(&index, &huge).is_empty());
    let mut document = policy(9, &huge);
    document.text = "y ".repeat(1_000_000);
    document.tags = vec![huge.clone(); 60];
    document.category = Some(huge);
    index.upsert(&document).unwrap();
    index.commit(2).unwrap();
    assert_eq!(find(&index, "y"), [9]);
}

#[test]
fn the_syntax_of_query_languages_is_only_words() {
    let index = titled(&["Plant trees", "Plant and cut"]);
    for text in [
        "title:trees",
        "\"plant trees",
        "(((((",
        "-trees",
        "trees~9",
        "trees^1e99",
        "[a TO *]",
        "*",
        "tre*",
        "AND OR NOT",
        "/.*/",
        "\0\u{202e}trees",
        "a:b:c",
        "\\",
        "{\"a\":1}",
    ] {
        index.search(&Query::new(text)).unwrap();
        index.similar(text, Kind::Policy, 10).unwrap();
    }
    assert_eq!(find(&index, "-trees"), [0]);
    assert_eq!(find(&index, "plant AND"), [1, 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]
    #[test]
    fn no_query_is_an_error(
        text in prop_oneof![".{0,60}", "\\PC{0,60}", "([a-e]{1,8}[ :*~\"()+-]){0,30}"],
    ) {
        thread_local! {
            static INDEX: Index = titled(&["Abba cab dead", "bead ace", "éa Ünï 東京", ""]);
        }
        INDEX.with(|index| {
            let found = index.search(&Query::new(text.as_str())).unwrap();
            for hit in found.hits.iter().chain(&index.similar(&text, Kind::Policy, 3).unwrap()) {
                for mark in &hit.title.marks {
                    assert!(hit.title.text.get(mark.clone()).is_some());
                }
            }
        });
    }
}

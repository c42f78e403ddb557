//! Seeds, families and times of random scripts.

use super::*;

#[test]
fn a_seed_always_gives_the_same_script() {
    let shape = Shape::new(200);
    for seed in 0..20 {
        let case = generate(seed, &shape).expect("a script");
        assert_eq!(case, generate(seed, &shape).expect("a script"));
        assert_eq!(case.script.steps.len(), case.families.len());
    }
    let texts = |seed| generate(seed, &shape).expect("a script").script.steps;
    assert_ne!(texts(1), texts(2));
}

#[test]
fn every_family_comes_and_none_that_is_left_out() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let case = generate(seed, &Shape::new(300)).expect("a script");
        seen.extend(case.families);
    }
    assert_eq!(seen.len(), 23, "{seen:?}");
    let shape = Shape {
        without: vec![Family::Wrong, Family::View, Family::InsertIf],
        ..Shape::new(300)
    };
    for seed in 0..50 {
        let case = generate(seed, &shape).expect("a script");
        let is_out = |family| case.families.contains(family);
        assert!(!shape.without.iter().any(is_out));
    }
}

#[test]
fn writes_without_a_condition_bring_their_time() {
    let writes = [Family::Insert, Family::Update, Family::Delete];
    for seed in 0..50 {
        let case = generate(seed, &Shape::new(300)).expect("a script");
        for (step, family) in case.script.steps.iter().zip(&case.families) {
            let is_timed =
                step.directives.timestamp.is_some() || step.statement.contains("TIMESTAMP");
            assert!(is_timed || !writes.contains(family), "{}", step.statement);
        }
    }
}

//! Names that look like others: each refusal says whether the name is taken or another spelling is.

use stoa_votes::ops::register::Registration;

use crate::accounts::{code, join, request};
use crate::world::World;

fn registration(world: &World, name: &str) -> Registration {
    Registration {
        request: request(world),
        name: name.to_owned(),
        email: "other@example.org".to_owned(),
        password: "correct horse".to_owned(),
        origin: None,
    }
}

#[tokio::test]
async fn another_spelling_of_a_name_is_refused_as_such_and_the_same_name_as_taken() {
    let world = World::new().await;
    let alice = join(&world, "Alice").await;
    let benno = join(&world, "benno").await;
    let wanted = async |name: &str| {
        let new = world.votes.register(&registration(&world, name)).await;
        let other = world.votes.change_name(benno, name).await;
        [code(new), code(other)]
    };
    for same in ["Alice", "ALICE", "alice", "ａｌｉｃｅ"] {
        assert_eq!(wanted(same).await, ["name_taken"; 2], "{same}");
    }
    for alike in ["a1ice", "Allce", "аlісе", "ALlCE"] {
        assert_eq!(wanted(alike).await, ["name_looks_alike"; 2], "{alike}");
    }
    // One may spell one's own name in another way, and then that one is taken.
    world.votes.change_name(alice, "A1ice").await.unwrap();
    assert_eq!(wanted("a1ICE").await, ["name_taken"; 2]);
    assert_eq!(wanted("Alice").await, ["name_looks_alike"; 2]);
    // Nobody is called so any more, and nobody may be for a while.
    world.votes.leave(alice).await.unwrap();
    for blocked in ["Alice", "a1ice"] {
        assert_eq!(wanted(blocked).await, ["name_taken"; 2], "{blocked}");
    }
    let refused = world.votes.register(&registration(&world, "bennο")).await;
    let why = refused.unwrap_err().to_string();
    assert!(why.contains("look alike count as the same"), "{why}");
    // A refused registration leaves nothing behind.
    let free = world.votes.register(&registration(&world, "carol")).await;
    assert_eq!(code(free), "done");
}

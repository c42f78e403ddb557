use super::fixture::*;
use crate::integrity::*;
#[test]
#[allow(clippy::disallowed_methods)]
fn timing() {
    let dir = tempfile::tempdir().unwrap();
    let _ = small_store(dir.path(), fjall::CompressionType::None, Syncing::Each);
    for f in all_files(dir.path()) {
        println!("{} {}", f.display(), std::fs::metadata(&f).unwrap().len());
    }
    let t = std::time::Instant::now();
    for _ in 0..1000 {
        check_before_open(dir.path(), None).unwrap();
    }
    println!("check {:?}", t.elapsed() / 1000);
    let files = super::super::files::Files::new(dir.path());
    let t = std::time::Instant::now();
    for _ in 0..1000 {
        super::super::tables::check_keyspace_names(&files).unwrap();
    }
    println!("names {:?}", t.elapsed() / 1000);
    let t = std::time::Instant::now();
    for _ in 0..1000 {
        super::super::tables::check_keyspace(&files, 1, "x").unwrap();
    }
    println!("keyspace {:?}", t.elapsed() / 1000);
    let p = dir.path().join("mark-a");
    let b = std::fs::read(&p).unwrap();
    let t = std::time::Instant::now();
    for _ in 0..1000 {
        std::fs::write(&p, &b).unwrap();
    }
    println!("write {:?}", t.elapsed() / 1000);
}

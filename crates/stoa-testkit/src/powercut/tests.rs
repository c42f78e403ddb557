//! The rules of images, on hand-made recordings.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use super::{
    announce::Announcements,
    campaign::Campaign,
    content::Content,
    cut::Cut,
    cutter::Cutter,
    disk::{CutPoint, Disk, Span, Synced, Tree},
    durability::Discipline,
    image::Image,
    ledger::Ledger,
    names::{Inode, Kind, ROOT},
    scenario::Scenario,
    snapshot::{Entry, Snapshot},
};

/// A recording made by hand, one operation after the other.
struct Script {
    ledger: Ledger,
    position: u64,
}

impl Script {
    fn on(base: &Snapshot) -> Self {
        Self {
            ledger: Ledger::new(Tree::of_snapshot(base)),
            position: 0,
        }
    }

    fn new() -> Self {
        Self::on(&Snapshot::default())
    }

    fn next(&mut self) -> Span {
        self.position += 1;
        Span {
            start: self.position,
            end: self.position,
        }
    }

    fn inode(&self, path: &str) -> Inode {
        self.ledger.find(Path::new(path)).unwrap()
    }

    fn create(&mut self, path: &str) -> &mut Self {
        let span = self.next();
        self.ledger
            .create(span, Path::new(path), Kind::File)
            .unwrap();
        self
    }

    fn folder(&mut self, path: &str) -> &mut Self {
        let span = self.next();
        self.ledger
            .create(span, Path::new(path), Kind::Folder)
            .unwrap();
        self
    }

    fn write(&mut self, path: &str, offset: u64, bytes: &[u8]) -> &mut Self {
        let (span, inode) = (self.next(), self.inode(path));
        self.ledger.write(span, inode, offset, bytes);
        self
    }

    fn resize(&mut self, path: &str, len: u64) -> &mut Self {
        let (span, inode) = (self.next(), self.inode(path));
        self.ledger.resize(span, inode, len);
        self
    }

    fn rename(&mut self, from: &str, to: &str) -> &mut Self {
        let span = self.next();
        self.ledger
            .rename(span, Path::new(from), Path::new(to))
            .unwrap();
        self
    }

    fn remove(&mut self, path: &str) -> &mut Self {
        let span = self.next();
        self.ledger.remove(span, Path::new(path)).unwrap();
        self
    }

    fn sync(&mut self, path: &str) -> &mut Self {
        let (span, inode) = (self.next(), self.inode(path));
        self.ledger.sync(span, Synced::Whole(inode));
        self
    }

    fn sync_data(&mut self, path: &str) -> &mut Self {
        let (span, inode) = (self.next(), self.inode(path));
        self.ledger.sync(span, Synced::Data(inode));
        self
    }

    fn sync_root(&mut self) -> &mut Self {
        let span = self.next();
        self.ledger.sync(span, Synced::Whole(ROOT));
        self
    }

    fn sync_fails(&mut self, path: &str) -> &mut Self {
        let (span, inode) = (self.next(), self.inode(path));
        self.ledger.sync_failed(span, inode);
        self
    }

    fn end(&mut self) -> Disk {
        let ledger = std::mem::replace(&mut self.ledger, Ledger::new(Tree::default()));
        ledger.close(Announcements::default())
    }
}

fn last_cut(disk: &Disk, discipline: Discipline) -> Cut<'_> {
    Cutter::new(disk, discipline).at(*disk.cut_points().last().unwrap())
}

/// Every image at the end of a recording.
fn every(disk: &Disk, discipline: Discipline) -> Vec<Image> {
    last_cut(disk, discipline)
        .every_image(1 << 16)
        .expect("few enough to try them all")
}

fn bytes(image: &Image, path: &str) -> Option<Vec<u8>> {
    image.snapshot().file(path).map(Content::to_vec)
}

/// What a file is in all images; `None` if it is not there.
fn outcomes(images: &[Image], path: &str) -> BTreeSet<Option<Vec<u8>>> {
    images.iter().map(|image| bytes(image, path)).collect()
}

fn paths(image: &Image) -> Vec<String> {
    image
        .snapshot()
        .entries()
        .map(|(path, _)| path.display().to_string())
        .collect()
}

fn all_paths(images: &[Image]) -> BTreeSet<String> {
    images.iter().map(|image| paths(image).join(" ")).collect()
}

fn set<const N: usize>(all: [&str; N]) -> BTreeSet<String> {
    all.map(str::to_owned).into()
}

fn some(parts: &[&[u8]]) -> Option<Vec<u8>> {
    Some(parts.concat())
}

#[test]
fn what_was_synced_is_in_every_image() {
    for discipline in [Discipline::Ext4, Discipline::Strict] {
        let disk = Script::new()
            .create("log")
            .write("log", 0, b"first")
            .sync("log")
            .sync_root()
            .write("log", 5, b"second")
            .create("other")
            .end();
        let images = every(&disk, discipline);
        assert!(images.len() > 4);
        for image in &images {
            assert!(
                bytes(image, "log").unwrap().starts_with(b"first"),
                "{image}"
            );
        }
    }
}

#[test]
fn an_append_within_a_sector_is_lost_kept_or_a_tail_of_zeros() {
    let disk = Script::new()
        .create("log")
        .write("log", 0, b"one")
        .sync("log")
        .write("log", 3, b"two")
        .end();
    let expected = [
        some(&[b"one"]),
        some(&[b"onetwo"]),
        some(&[b"one", &[0; 3]]),
    ];
    assert_eq!(
        outcomes(&every(&disk, Discipline::Ext4), "log"),
        expected.into()
    );
}

#[test]
fn a_write_is_torn_at_sectors_in_any_order() {
    let old = [b'o'; 1536];
    let disk = Script::new()
        .create("log")
        .write("log", 0, &old)
        .sync("log")
        .write("log", 0, &[b'n'; 1536])
        .end();
    let sector = |choice: u8| {
        if choice == 1 {
            [b'n'; 512]
        } else {
            [b'o'; 512]
        }
    };
    let expected = (0..8_u8)
        .map(|bits| {
            some(&[
                &sector(bits & 1),
                &sector(bits >> 1 & 1),
                &sector(bits >> 2 & 1),
            ])
        })
        .collect();
    assert_eq!(outcomes(&every(&disk, Discipline::Ext4), "log"), expected);
}

#[test]
fn a_sector_never_holds_a_later_write_without_the_earlier_one() {
    let disk = Script::new()
        .create("log")
        .resize("log", 512)
        .sync("log")
        .write("log", 0, b"A")
        .write("log", 1, b"B")
        .end();
    let found: BTreeSet<_> = every(&disk, Discipline::Ext4)
        .iter()
        .map(|image| bytes(image, "log").unwrap()[..2].to_vec())
        .collect();
    assert_eq!(
        found,
        [b"\0\0".to_vec(), b"A\0".to_vec(), b"AB".to_vec()].into()
    );
}

#[test]
fn a_shortened_file_has_its_old_blocks_or_none_of_what_was_cut_off() {
    let disk = Script::new()
        .create("log")
        .write("log", 0, &[b'o'; 8192])
        .sync("log")
        .resize("log", 0)
        .write("log", 0, &[b'n'; 512])
        .end();
    let expected = [
        some(&[&[b'o'; 8192]]),
        some(&[]),
        some(&[&[0; 512]]),
        some(&[&[b'n'; 512]]),
    ];
    assert_eq!(
        outcomes(&every(&disk, Discipline::Ext4), "log"),
        expected.into()
    );
}

#[test]
fn the_block_at_a_new_end_may_show_its_zeros_early() {
    let disk = Script::new()
        .create("log")
        .write("log", 0, &[b'o'; 5000])
        .sync("log")
        .resize("log", 3584)
        .end();
    let early = some(&[&[b'o'; 3584], &[0; 512], &[b'o'; 904]]);
    let expected = [some(&[&[b'o'; 5000]]), some(&[&[b'o'; 3584]]), early];
    assert_eq!(
        outcomes(&every(&disk, Discipline::Ext4), "log"),
        expected.into()
    );
}

#[test]
fn preallocated_length_and_bytes_are_lost_independently() {
    let disk = Script::new()
        .create("log")
        .sync("log")
        .resize("log", 64 << 20)
        .write("log", 0, b"x")
        .end();
    let images = every(&disk, Discipline::Ext4);
    let found: BTreeSet<_> = images
        .iter()
        .map(|image| image.snapshot().file("log").unwrap())
        .map(|content| (content.len(), content.read(0, 1)))
        .collect();
    let long = 64 << 20;
    assert_eq!(
        found,
        [(0, vec![]), (long, vec![0]), (long, vec![b'x'])].into()
    );
}

#[test]
fn names_of_an_ordered_journal_survive_in_order() {
    let disk = Script::new()
        .create("a")
        .create("b")
        .rename("a", "c")
        .remove("b")
        .folder("d")
        .end();
    let images = every(&disk, Discipline::Ext4);
    assert_eq!(all_paths(&images), set(["", "a", "a b", "b c", "c", "c d"]));
}

#[test]
fn strict_names_survive_each_by_itself_but_in_order_for_one_name() {
    let disk = Script::new().create("a").create("b").rename("a", "c").end();
    let images = every(&disk, Discipline::Strict);
    assert_eq!(all_paths(&images), set(["", "a", "b", "a b", "c", "b c"]));
}

#[test]
fn a_file_that_was_renamed_twice_has_one_name() {
    let mut base = Snapshot::default();
    base.entries.insert("x".into(), Entry::File(Arc::default()));
    let disk = Script::on(&base).rename("x", "y").rename("y", "z").end();
    for discipline in [Discipline::Ext4, Discipline::Strict] {
        assert_eq!(all_paths(&every(&disk, discipline)), set(["x", "y", "z"]));
    }
}

#[test]
fn syncing_a_new_file_names_it_only_in_an_ordered_journal() {
    let script = |script: &mut Script| {
        script
            .create("a")
            .create("b")
            .write("b", 0, b"x")
            .sync("b")
            .create("c")
            .end()
    };
    let disk = script(&mut Script::new());
    assert_eq!(
        all_paths(&every(&disk, Discipline::Ext4)),
        set(["a b", "a b c"])
    );
    let strict = all_paths(&every(&disk, Discipline::Strict));
    assert!(strict.contains("") && strict.contains("c"), "{strict:?}");
}

#[test]
fn syncing_data_or_an_old_file_says_nothing_about_names() {
    let mut base = Snapshot::default();
    base.entries.insert(
        "old".into(),
        Entry::File(Arc::new(Content::from(&b"old"[..]))),
    );
    let disk = Script::on(&base)
        .create("new")
        .write("new", 0, b"x")
        .sync_data("new")
        .write("old", 0, b"OLD")
        .sync("old")
        .end();
    let images = every(&disk, Discipline::Ext4);
    assert_eq!(all_paths(&images), set(["old", "new old"]));
    assert_eq!(outcomes(&images, "old"), [some(&[b"OLD"])].into());
    assert_eq!(outcomes(&images, "new"), [None, some(&[b"x"])].into());
}

#[test]
fn a_rename_without_a_sync_of_the_folder_may_be_lost_and_is_never_half() {
    let mut base = Snapshot::default();
    base.entries.insert(
        "current".into(),
        Entry::File(Arc::new(Content::from(&b"old"[..]))),
    );
    for discipline in [Discipline::Ext4, Discipline::Strict] {
        let script = |script: &mut Script| {
            script
                .create("tmp")
                .write("tmp", 0, b"new")
                .sync("tmp")
                .rename("tmp", "current");
        };
        let mut unsynced = Script::on(&base);
        script(&mut unsynced);
        let found = outcomes(&every(&unsynced.end(), discipline), "current");
        assert_eq!(found, [some(&[b"old"]), some(&[b"new"])].into());
        let mut synced = Script::on(&base);
        script(&mut synced);
        let found = every(&synced.sync_root().end(), discipline);
        assert_eq!(outcomes(&found, "current"), [some(&[b"new"])].into());
        assert_eq!(all_paths(&found), set(["current"]));
    }
}

#[test]
fn a_rename_before_the_sync_of_its_content_may_leave_an_empty_file() {
    let disk = Script::new()
        .create("tmp")
        .write("tmp", 0, b"new")
        .rename("tmp", "current")
        .sync_root()
        .end();
    let found = outcomes(&every(&disk, Discipline::Ext4), "current");
    assert_eq!(found, [some(&[]), some(&[&[0; 3]]), some(&[b"new"])].into());
}

#[test]
fn a_durable_change_of_a_name_keeps_those_it_builds_on() {
    let disk = Script::new()
        .folder("d")
        .sync_root()
        .create("a")
        .create("b")
        .rename("a", "d/a")
        .sync("d")
        .end();
    let images = every(&disk, Discipline::Strict);
    assert_eq!(all_paths(&images), set(["d d/a", "b d d/a"]));
}

#[test]
fn what_a_failed_sync_should_have_covered_is_never_sure_again() {
    let disk = Script::new()
        .create("log")
        .sync("log")
        .write("log", 0, &[b'1'; 512])
        .sync_fails("log")
        .write("log", 512, &[b'2'; 512])
        .sync("log")
        .end();
    let expected = [
        some(&[&[0; 512], &[b'2'; 512]]),
        some(&[&[b'1'; 512], &[b'2'; 512]]),
    ];
    assert_eq!(
        outcomes(&every(&disk, Discipline::Ext4), "log"),
        expected.into()
    );
}

#[test]
fn a_recording_on_an_image_takes_the_image_for_durable() {
    let disk = Script::new().create("log").write("log", 0, b"outer").end();
    let image = last_cut(&disk, Discipline::Strict).image(Scenario::AllKept);
    let nested = Script::on(image.snapshot())
        .write("log", 5, b"inner")
        .create("new")
        .end();
    let images = every(&nested, Discipline::Strict);
    assert!(images.len() > 3);
    for image in &images {
        assert!(
            bytes(image, "log").unwrap().starts_with(b"outer"),
            "{image}"
        );
    }
    let deepest = Script::on(images[0].snapshot())
        .remove("log")
        .sync_root()
        .end();
    assert!(
        every(&deepest, Discipline::Strict)
            .iter()
            .all(|one| bytes(one, "log").is_none())
    );
}

#[test]
fn going_back_gives_the_same_images_as_going_forward() {
    let disk = Script::new()
        .create("a")
        .write("a", 0, &[1; 2000])
        .sync("a")
        .rename("a", "b")
        .write("b", 100, &[2; 3000])
        .sync("b")
        .end();
    let ids = |cutter: &mut Cutter<'_>, point: CutPoint| -> Vec<_> {
        cutter
            .at(point)
            .images(7, 20)
            .iter()
            .map(Image::id)
            .collect()
    };
    let mut forward = Cutter::new(&disk, Discipline::Ext4);
    let mut backward = Cutter::new(&disk, Discipline::Ext4);
    let points = disk.cut_points();
    let ahead: Vec<_> = points
        .iter()
        .map(|point| ids(&mut forward, *point))
        .collect();
    let mut back: Vec<_> = points
        .iter()
        .rev()
        .map(|point| ids(&mut backward, *point))
        .collect();
    back.reverse();
    assert_eq!(ahead, back);
}

#[test]
fn drawn_images_are_possible_ones_and_where_there_are_few_all_of_them() {
    let ids = |images: &[Image]| -> BTreeSet<_> { images.iter().map(Image::id).collect() };
    // A sector gives few enough combinations to try them all, seven do not.
    for (len, is_few) in [(512, true), (3584, false)] {
        let mut script = Script::new();
        script.create("log").write("log", 0, &[9; 1024]).sync("log");
        script
            .create("a")
            .write("log", 512, &vec![8; len])
            .rename("a", "b");
        script.write("b", 0, b"b").create("c");
        let disk = script.end();
        for discipline in [Discipline::Ext4, Discipline::Strict] {
            let all = ids(&every(&disk, discipline));
            let drawn = ids(&last_cut(&disk, discipline).images(3, 5000));
            assert!(drawn.is_subset(&all));
            assert_eq!(drawn == all, is_few, "{} of {}", drawn.len(), all.len());
            assert!(drawn.len() > 10);
        }
    }
}

#[test]
fn a_campaign_visits_every_moment_and_repeats_no_image() {
    let mut script = Script::new();
    script.create("log");
    for number in 0..20 {
        script.write("log", number * 700, &[7; 700]);
        if number % 5 == 4 {
            script.sync("log");
        }
    }
    let disk = script.end();
    let images: Vec<_> = Campaign::new(&disk, Discipline::Ext4, 5, 400).collect();
    assert_eq!(images.len(), 400);
    assert_eq!(
        images.iter().map(Image::id).collect::<BTreeSet<_>>().len(),
        400
    );
    let moments: BTreeSet<_> = images.iter().map(Image::point).collect();
    // After a sync there is nothing to lose, and the only image is one known before.
    assert!(
        moments.len() >= disk.cut_points().len() - 4,
        "{}",
        moments.len()
    );
    let again = Campaign::new(&disk, Discipline::Ext4, 5, 400);
    assert!(
        again
            .zip(&images)
            .all(|(one, other)| one.id() == other.id())
    );
    let few = Script::new().create("log").sync_root().end();
    assert_eq!(Campaign::new(&few, Discipline::Ext4, 5, 400).count(), 2);
}

#[test]
fn a_scenario_makes_the_same_image_again_and_can_be_explained() {
    let disk = Script::new()
        .create("log")
        .write("log", 0, &[9; 2048])
        .end();
    let cut = last_cut(&disk, Discipline::Ext4);
    for image in cut.images(11, 50) {
        assert_eq!(cut.image(image.scenario()).id(), image.id());
    }
    assert_eq!(
        cut.explain(Scenario::NamesOnly).lines().next(),
        Some("kept: name log")
    );
    let text = cut.explain(Scenario::OneLost(1));
    assert_eq!(
        text,
        "kept: name log\nlost, its length lost: write log, sectors 0 to 3, longer: 2048\n"
    );
}

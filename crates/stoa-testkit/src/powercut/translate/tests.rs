//! Hand-written traces. `'text'` stands for a string and `@path@` for the path of a
//! descriptor, both of which a trace writes byte by byte.

use std::path::Path;

use super::*;
use crate::powercut::{
    content::Content, cutter::Cutter, disk::Operation, durability::Discipline, scenario::Scenario,
    snapshot::Snapshot,
};

fn escaped(line: &str) -> String {
    let mut text = String::new();
    let mut open = None;
    for character in line.chars() {
        match (character, open) {
            ('\'', None) => (text.push('"'), open = Some('\'')).0,
            ('\'', Some('\'')) => (text.push('"'), open = None).0,
            ('@', None) => (text.push('<'), open = Some('@')).0,
            ('@', Some('@')) => (text.push('>'), open = None).0,
            (_, None) => text.push(character),
            (_, Some(_)) => text.push_str(&format!("\\x{:02x}", u32::from(character))),
        }
    }
    text
}

fn try_read(lines: &[&str], base: &Snapshot) -> Result<Translation, TraceError> {
    let text: Vec<_> = lines.iter().map(|line| escaped(line)).collect();
    let subject = Subject {
        root: "/r".into(),
        announcements: "/said".into(),
        working_folder: "/r/w".into(),
    };
    let base = Tree::of_snapshot(base);
    translate(
        &mut text.join("\n").as_bytes(),
        &subject,
        base,
        Announcements::default(),
    )
}

fn read(lines: &[&str]) -> Disk {
    match try_read(lines, &Snapshot::default()) {
        Ok(translation) => translation.disk,
        Err(error) => panic!("{error:?}"),
    }
}

fn problem(lines: &[&str]) -> TraceProblem {
    match try_read(lines, &Snapshot::default()) {
        Ok(translation) => panic!("understood: {:?}", translation.disk.operations),
        Err(error) => error.problem,
    }
}

fn text(disk: &Disk, path: impl AsRef<Path>) -> String {
    let content = disk.last().file(path.as_ref());
    String::from_utf8(content.expect("the file is there").to_vec()).unwrap()
}

fn shown(disk: &Disk) -> Vec<String> {
    disk.operations().iter().map(Operation::to_string).collect()
}

#[test]
fn the_offset_moves_with_writes_reads_and_seeks_and_is_shared_by_duplicates() {
    let disk = read(&[
        "1 openat(AT_FDCWD@/@, '/r/a', O_RDWR|O_CREAT|O_CLOEXEC, 0666) = 3@/r/a@",
        "1 write(3@/r/a@, 'hello', 5) = 5",
        "1 dup(3@/r/a@) = 4@/r/a@",
        "1 write(4@/r/a@, ' world', 6) = 6",
        "1 lseek(3@/r/a@, 0, SEEK_SET) = 0",
        "1 read(0x3, 0x7f0000000000, 0x1) = 0x1",
        "1 write(4@/r/a@, 'E', 1) = 1",
        "1 pwrite64(3@/r/a@, 'W', 1, 6) = 1",
        "1 write(3@/r/a@, 'L', 1) = 1",
        "1 fcntl(3@/r/a@, F_DUPFD_CLOEXEC, 9) = 9@/r/a@",
        "1 writev(9@/r/a@, [{iov_base='L', iov_len=1}, {iov_base='O', iov_len=1}], 2) = 2",
    ]);
    assert_eq!(text(&disk, "a"), "hELLO World");
}

#[test]
fn two_openings_have_two_offsets() {
    let disk = read(&[
        "1 openat(AT_FDCWD@/r@, 'a', O_WRONLY|O_CREAT, 0666) = 3@/r/a@",
        "1 open('../a', O_WRONLY) = 4@/r/a@",
        "1 write(3@/r/a@, 'one', 3) = 3",
        "1 write(4@/r/a@, 'T', 1) = 1",
    ]);
    assert_eq!(text(&disk, "a"), "Tne");
}

#[test]
fn appends_go_to_the_end_whatever_the_offset() {
    let disk = read(&[
        "1 openat(AT_FDCWD@/@, '/r/a', O_WRONLY|O_CREAT|O_APPEND, 0666) = 3@/r/a@",
        "1 write(3@/r/a@, 'one', 3) = 3",
        "1 lseek(3@/r/a@, 0, SEEK_SET) = 0",
        "1 write(3@/r/a@, 'two', 3) = 3",
        "1 ftruncate(3@/r/a@, 4) = 0",
        "1 pwrite64(3@/r/a@, 'end', 3, 0) = 3",
    ]);
    assert_eq!(text(&disk, "a"), "onetend");
}

#[test]
fn short_writes_count_in_part_and_failed_ones_not_at_all() {
    let disk = read(&[
        "1 openat(AT_FDCWD@/@, '/r/a', O_WRONLY|O_CREAT, 0666) = 3@/r/a@",
        "1 write(3@/r/a@, 'hello', 5) = 2",
        "1 write(3@/r/a@, 'llo', 3) = -1 ENOSPC (No space left on device) (INJECTED)",
        "1 write(3@/r/a@, 'llo', 3) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)",
        "1 mkdir('/r/d', 0777) = -1 EEXIST (File exists)",
        "1 rename('/r/a', '/r/b') = -1 EIO (Input/output error)",
        "1 write(3@/r/a@, 'LLO', 3) = 3",
    ]);
    assert_eq!(text(&disk, "a"), "heLLO");
    assert!(!disk.last().contains("d") && !disk.last().contains("b"));
}

#[test]
fn a_rename_over_a_file_keeps_both_files_apart() {
    let disk = read(&[
        "1 openat(AT_FDCWD@/@, '/r/old', O_WRONLY|O_CREAT, 0666) = 3@/r/old@",
        "1 openat(AT_FDCWD@/@, '/r/new', O_WRONLY|O_CREAT, 0666) = 4@/r/new@",
        "1 write(3@/r/old@, 'old', 3) = 3",
        "1 write(4@/r/new@, 'new', 3) = 3",
        "1 renameat2(AT_FDCWD@/r@, 'new', AT_FDCWD@/r@, 'old', 0) = 0",
        "1 write(3@/r/old@(deleted), 'more', 4) = 4",
        "1 write(4@/r/old@, 'er', 2) = 2",
        "1 openat(AT_FDCWD@/@, '/r/new', O_WRONLY|O_CREAT|O_EXCL, 0666) = 5@/r/new@",
    ]);
    assert_eq!(text(&disk, "old"), "newer");
    assert_eq!(text(&disk, "new"), "");
}

#[test]
fn folders_and_what_is_in_them_come_and_go() {
    let disk = read(&[
        "1 mkdir('/r/d', 0777) = 0",
        "1 mkdirat(3@/r/d@, 'e', 0777) = 0",
        "1 openat(AT_FDCWD@/@, '/r/d/e/f', O_WRONLY|O_CREAT, 0666) = 4@/r/d/e/f@",
        "1 link('/r/d/e/f', '/r/g') = 0",
        "1 write(4@/r/d/e/f@, 'x', 1) = 1",
        "1 rename('/r/d', '/r/D') = 0",
        "1 unlinkat(5@/r/D/e@, 'f', 0) = 0",
        "1 unlinkat(5@/r/D@, 'e', AT_REMOVEDIR) = 0",
    ]);
    let paths: Vec<_> = disk
        .last()
        .entries()
        .map(|(path, _)| path.to_owned())
        .collect();
    assert_eq!(paths, ["D", "g"].map(PathBuf::from));
    assert_eq!(text(&disk, "g"), "x");
}

#[test]
fn lengths_change_by_truncation_and_allocation() {
    let disk = read(&[
        "1 openat(AT_FDCWD@/@, '/r/a', O_RDWR|O_CREAT, 0666) = 3@/r/a@",
        "1 write(3@/r/a@, 'hello', 5) = 5",
        "1 ftruncate(3@/r/a@, 67108864) = 0",
        "1 truncate('/r/a', 3) = 0",
        "1 fallocate(3@/r/a@, FALLOC_FL_KEEP_SIZE, 0, 4096) = 0",
        "1 fallocate(3@/r/a@, 0, 0, 6) = 0",
        "1 fallocate(3@/r/a@, FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, 1, 1) = 0",
        "1 openat(AT_FDCWD@/@, '/r/b', O_RDWR|O_CREAT, 0666) = 4@/r/b@",
        "1 copy_file_range(3@/r/a@, [0], 4@/r/b@, NULL, 6, 0) = 6",
        "1 write(4@/r/b@, '!', 1) = 1",
        "1 openat(AT_FDCWD@/@, '/r/a', O_WRONLY|O_TRUNC) = 5@/r/a@",
    ]);
    assert_eq!(text(&disk, "b"), "h\0l\0\0\0!");
    assert_eq!(text(&disk, "a"), "");
}

#[test]
fn a_sync_covers_a_write_only_if_the_write_had_ended_before() {
    let overlapping = [
        "1 openat(AT_FDCWD@/@, '/r/a', O_WRONLY|O_CREAT, 0666) = 3@/r/a@",
        "1 clone3({flags=CLONE_VM|CLONE_FILES, stack=0x7f}, 88) = 2",
        "1 pwrite64(3@/r/a@, 'late', 4, 0 <unfinished ...>",
        "2 fsync(3@/r/a@ <unfinished ...>",
        "1 <... pwrite64 resumed>) = 4",
        "2 <... fsync resumed>) = 0",
    ];
    let lost = |lines: &[&str]| {
        let disk = read(lines);
        let last = *disk.cut_points().last().unwrap();
        let image = Cutter::new(&disk, Discipline::Ext4)
            .at(last)
            .image(Scenario::AllLost);
        image.snapshot().file("a").is_none_or(Content::is_empty)
    };
    assert!(lost(&overlapping));
    let mut ordered = overlapping;
    ordered.swap(3, 4);
    assert!(!lost(&ordered));
}

#[test]
fn an_operation_under_way_may_have_happened() {
    let disk = read(&[
        "1 mkdir('/r/d', 0777 <unfinished ...>",
        "2 openat(AT_FDCWD@/@, '/r/a', O_WRONLY|O_CREAT, 0666) = 3@/r/a@",
        "1 <... mkdir resumed>) = 0",
    ]);
    let points = disk.cut_points();
    let mut cutter = Cutter::new(&disk, Discipline::Ext4);
    let kept: Vec<_> = points
        .iter()
        .map(|point| {
            cutter
                .at(*point)
                .image(Scenario::AllKept)
                .snapshot()
                .contains("d")
        })
        .collect();
    assert_eq!(kept, [false, true, true, true]);
}

#[test]
fn a_descriptor_is_given_away_as_soon_as_its_closing_starts() {
    let disk = read(&[
        "1 openat(AT_FDCWD@/@, '/r/a', O_WRONLY|O_CREAT, 0666) = 3@/r/a@",
        "1 clone3({flags=CLONE_VM|CLONE_FILES} <unfinished ...>",
        "2 close(3@/r/a@ <unfinished ...>",
        "1 <... clone3 resumed> => {parent_tid=[2]}, 88) = 2",
        "1 openat(AT_FDCWD@/@, '/r/b', O_WRONLY|O_CREAT, 0666) = 3@/r/b@",
        "2 <... close resumed>) = 0",
        "2 write(3@/r/b@, 'b', 1) = 1",
        "2 close(3@/r/b@) = 0",
        "2 write(3@pipe:[7]@, 'to a pipe that has the number now', 33) = 33",
    ]);
    assert_eq!(text(&disk, "a"), "");
    assert_eq!(text(&disk, "b"), "b");
}

#[test]
fn a_new_process_has_a_copy_of_the_descriptors_and_shares_the_offset() {
    let disk = read(&[
        "1 openat(AT_FDCWD@/@, '/r/a', O_WRONLY|O_CREAT, 0666) = 3@/r/a@",
        "1 openat(AT_FDCWD@/@, '/r/b', O_WRONLY|O_CREAT|O_CLOEXEC, 0666) = 4@/r/b@",
        "1 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 2",
        "2 close(4@/r/b@) = 0",
        "2 write(3@/r/a@, 'child', 5) = 5",
        "2 execve('/bin/x', ['x'], 0x7f /* 1 vars */) = 0",
        "2 write(3@/r/a@, '+', 1) = 1",
        "2 +++ exited with 0 +++",
        "1 write(3@/r/a@, 'parent', 6) = 6",
        "1 write(4@/r/b@, 'b', 1) = 1",
    ]);
    assert_eq!(text(&disk, "a"), "child+parent");
    assert_eq!(text(&disk, "b"), "b");
}

#[test]
fn what_a_killed_program_was_doing_may_have_happened() {
    let lines = [
        "1 openat(AT_FDCWD@/@, '/r/a', O_WRONLY|O_CREAT, 0666) = 3@/r/a@",
        "1 write(3@/r/a@, 'maybe', 5) = ?",
        "1 +++ killed by SIGKILL +++",
    ];
    let translation = try_read(&lines, &Snapshot::default()).unwrap();
    assert!(!translation.complete);
    let disk = translation.disk;
    assert_eq!(text(&disk, "a"), "");
    let last = *disk.cut_points().last().unwrap();
    let cut = Cutter::new(&disk, Discipline::Ext4).at(last);
    assert_eq!(cut.pending(), 2);
    let kept = cut.image(Scenario::AllKept);
    assert_eq!(kept.snapshot().file("a").unwrap().to_vec(), b"maybe");
}

#[test]
fn announcements_are_heard_in_the_order_of_the_trace() {
    let disk = read(&[
        "1 openat(AT_FDCWD@/@, '/said', O_WRONLY|O_APPEND) = 3@/said@",
        "1 writev(3@/said@, [{iov_base='begin 1', iov_len=7}, {iov_base='\n', iov_len=1}], 2) = 8",
        "1 openat(AT_FDCWD@/@, '/r/a', O_WRONLY|O_CREAT, 0666) = 4@/r/a@",
        "1 write(3@/said@, 'ack 1\nbegin', 11) = 11",
        "1 write(3@/said@, ' 2\n', 3 <unfinished ...>",
        "2 mkdir('/r/d', 0777) = 0",
        "1 <... write resumed>) = 3",
    ]);
    let lines: Vec<_> = disk
        .announcements()
        .own()
        .iter()
        .map(|one| one.line.as_str())
        .collect();
    assert_eq!(lines, ["begin 1", "ack 1", "begin 2"]);
    let at = |point: u64| disk.announcements().at(crate::powercut::CutPoint(point));
    assert!(at(3).certain_numbers("ack").is_empty());
    assert!(at(4).certain_numbers("ack").contains(&1));
    assert!(!at(3).possible_numbers("begin").contains(&2));
    assert!(at(5).possible_numbers("begin").contains(&2));
    assert!(!at(5).certain_numbers("begin").contains(&2));
}

#[test]
fn writes_to_a_file_opened_for_synced_writing_are_durable() {
    let disk = read(&[
        "1 openat(AT_FDCWD@/@, '/r/a', O_WRONLY|O_CREAT|O_DSYNC, 0666) = 3@/r/a@",
        "1 write(3@/r/a@, 'x', 1) = 1",
    ]);
    assert_eq!(
        shown(&disk),
        [
            "name a",
            "write a, sectors 0 to 0, longer: 1",
            "fdatasync a"
        ]
        .map(str::to_owned)
    );
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let open = "1 openat(AT_FDCWD@/@, '/r/a', O_RDWR|O_CREAT|O_APPEND, 0666) = 3@/r/a@";
    let refused = |line: &str| problem(&[open, line]);
    let map = "1 mmap(NULL, 50, PROT_READ|PROT_WRITE, MAP_SHARED, 3@/r/a@, 0) = 0x7f";
    assert!(matches!(refused(map), TraceProblem::Unsupported(_)));
    let link = "1 symlink('a', '/r/b') = 0";
    assert!(matches!(refused(link), TraceProblem::Unsupported(_)));
    let inward = "1 rename('/elsewhere', '/r/b') = 0";
    assert!(matches!(refused(inward), TraceProblem::Unsupported(_)));
    let stranger = "1 write(7@/r/z@, 'x', 1) = 1";
    assert!(matches!(refused(stranger), TraceProblem::Descriptor));
    let missed = "1 unlink('/r/z') = 0";
    assert!(matches!(refused(missed), TraceProblem::Path(_)));
    let shortened = "1 write(3@/r/a@, 'x'..., 90000000) = 90000000";
    assert!(matches!(refused(shortened), TraceProblem::Form));
    let at_once = [
        open,
        "1 clone3({flags=CLONE_FILES}, 88) = 2",
        "1 write(3@/r/a@, 'x', 1 <unfinished ...>",
        "2 write(3@/r/a@, 'y', 1) = 1",
        "1 <... write resumed>) = 1",
    ];
    assert!(matches!(problem(&at_once), TraceProblem::Ambiguous));
    let read_only = "1 mmap(NULL, 50, PROT_READ, MAP_SHARED, 3@/r/a@, 0) = 0x7f";
    read(&[open, read_only]);
}

//! What a recording sees of programs that do unusual things.

use std::{
    fs::{self, File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    os::unix::{fs::FileExt, process::ExitStatusExt},
    path::Path,
    process::Command,
    thread,
};

use super::Bench;
use stoa_testkit::powercut::{
    Announcer, Campaign, Content, Cutter, Discipline, RecordError, Recorder, Scenario, TraceError,
    TraceProblem, Workshop,
};

/// The program's side.
pub(super) fn run(folder: &Path, task: &str) {
    let announcer = Announcer::of_environment().unwrap().unwrap();
    match task {
        "threads" => threads(folder, &announcer),
        "everything" => everything(folder),
        "abort" => {
            fs::write(folder.join("a"), b"written").unwrap();
            std::process::abort();
        }
        "hidden" => {
            fs::write(folder.join("a"), b"seen").unwrap();
            let outside = folder.with_extension("outside");
            fs::hard_link(folder.join("a"), &outside).unwrap();
            fs::write(&outside, b"hidden").unwrap();
            fs::remove_file(outside).unwrap();
        }
        "link" => std::os::unix::fs::symlink("a", folder.join("b")).unwrap(),
        _ => panic!("unknown task {task}"),
    }
}

const THREADS: u64 = 4;
const WRITES: u64 = 25;

/// Each thread writes numbers to a place of its own in a shared file, one sector each.
fn threads(folder: &Path, announcer: &Announcer) {
    let file = File::create(folder.join("shared")).unwrap();
    file.set_len(THREADS * WRITES * 512).unwrap();
    file.sync_all().unwrap();
    let (file, announcer) = (&file, &announcer);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                let own = File::create(folder.join(format!("own-{thread}"))).unwrap();
                for write in 0..WRITES {
                    let number = thread * WRITES + write;
                    file.write_all_at(&[number as u8 + 1; 512], number * 512)
                        .unwrap();
                    (&own).write_all(&[7; 100]).unwrap();
                    file.sync_data().unwrap();
                    announcer.say(&format!("ack {number}")).unwrap();
                }
            });
        }
    });
}

/// One of each operation that a store may use.
fn everything(folder: &Path) {
    let at = |path: &str| folder.join(path);
    fs::create_dir_all(at("d/e")).unwrap();
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(at("d/e/f"))
        .unwrap();
    file.write_all(b"0123456789").unwrap();
    file.seek(SeekFrom::Start(2)).unwrap();
    file.read_exact(&mut [0; 3]).unwrap();
    file.write_all(b"five").unwrap();
    let mut twin = file.try_clone().unwrap();
    twin.write_all(b"twin").unwrap();
    file.write_all(b"after").unwrap();
    file.set_len(64 << 20).unwrap();
    file.write_all_at(b"far away", 50 << 20).unwrap();
    file.sync_all().unwrap();
    fs::copy(at("d/e/f"), at("copy")).unwrap();
    fs::rename(at("d/e"), at("moved")).unwrap();
    fs::hard_link(at("moved/f"), at("link")).unwrap();
    fs::write(at("victim"), b"old").unwrap();
    fs::write(at("new"), b"new").unwrap();
    fs::rename(at("new"), at("victim")).unwrap();
    fs::create_dir_all(at("gone/with/all")).unwrap();
    fs::write(at("gone/with/it"), b"gone").unwrap();
    fs::remove_dir_all(at("gone")).unwrap();
    let shell = "echo one > by-shell; echo two >> by-shell; mkdir sub; cd sub; echo x > y; rm y";
    let status = Command::new("sh")
        .args(["-c", shell])
        .current_dir(folder)
        .status()
        .unwrap();
    assert!(status.success());
    File::open(folder).unwrap().sync_all().unwrap();
}

#[test]
fn the_model_explains_what_is_on_the_disk() {
    let Some(bench) = Bench::new() else { return };
    let disk = bench.record("everything").disk;
    let last = disk.last();
    let text = |path: &str| last.file(path).map(|content| content.read(0, 18));
    assert_eq!(text("moved/f").unwrap(), b"01234fivetwinafter");
    assert_eq!(text("link"), text("moved/f"));
    assert_eq!(last.file("copy").unwrap().read(50 << 20, 8), b"far away");
    assert_eq!(text("victim").unwrap(), b"new");
    assert_eq!(text("by-shell").unwrap(), b"one\ntwo\n");
    assert!(last.contains("sub") && !last.contains("sub/y") && !last.contains("gone"));
    let mut cutter = Cutter::new(&disk, Discipline::Ext4);
    let end = *disk.cut_points().last().unwrap();
    let kept = cutter.at(end).image(Scenario::AllKept);
    assert_eq!(kept.snapshot().first_difference(last), None);
}

#[test]
fn threads_are_told_apart_and_their_promises_kept() {
    let Some(bench) = Bench::new() else { return };
    let disk = bench.record("threads").disk;
    assert_eq!(disk.announcements().own().len() as u64, THREADS * WRITES);
    let mut torn = 0;
    for image in Campaign::new(&disk, Discipline::Ext4, 4, 1500) {
        let shared = image
            .snapshot()
            .file("shared")
            .map_or_else(Vec::new, Content::to_vec);
        let is_there = |number: u64| shared.get(number as usize * 512) == Some(&(number as u8 + 1));
        let acknowledged = image.expectations().certain_numbers("ack");
        let lost: Vec<_> = acknowledged
            .iter()
            .filter(|number| !is_there(**number))
            .collect();
        assert!(lost.is_empty(), "{image}: lost {lost:?}");
        let there = (0..THREADS * WRITES)
            .filter(|number| is_there(*number))
            .count();
        torn += usize::from(there > acknowledged.len());
    }
    assert!(torn > 100, "only {torn} images had more than was promised");
}

#[test]
fn a_program_that_dies_is_recorded_up_to_its_end() {
    let Some(bench) = Bench::new() else { return };
    let root = bench.workshop.folder();
    let recording = bench
        .recorder()
        .record(root, &bench.program("abort"))
        .unwrap();
    assert_eq!(recording.run.status.signal(), Some(6));
    assert_eq!(
        recording.disk.last().file("a").unwrap().to_vec(),
        b"written"
    );
}

#[test]
fn a_change_that_the_trace_does_not_show_is_an_error() {
    let Some(bench) = Bench::new() else { return };
    let root = bench.workshop.folder();
    match bench.recorder().record(root, &bench.program("hidden")) {
        Err(RecordError::Differs(path)) => assert_eq!(path, Path::new("a")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_symbolic_link_is_an_error() {
    let Some(bench) = Bench::new() else { return };
    let root = bench.workshop.folder();
    match bench.recorder().record(root, &bench.program("link")) {
        Err(RecordError::Trace(TraceError {
            problem: TraceProblem::Unsupported(_),
            ..
        })) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn announcements_within_the_recorded_folder_are_refused() {
    let Some(bench) = Bench::new() else { return };
    let root = Workshop::new().unwrap();
    let recorder = Recorder::new(bench.strace, root.folder().join("announcements"));
    match recorder.record(root.folder(), &bench.program("abort")) {
        Err(RecordError::AnnouncementsInside) => {}
        other => panic!("{other:?}"),
    }
}

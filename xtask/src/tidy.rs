//! `cargo xtask tidy`: the rules of STYLE.md and ARCHITECTURE.md that a machine can check and
//! no other tool does.
//!
//! [`workspace`] reads everything once; each rule is a pure function from what was read to
//! [`Finding`]s, so that its tests are samples in memory.

mod finding;
mod lexer;
mod search;
mod source;
mod workspace;

mod calls;
mod layers;
mod leftovers;
mod licences;
mod links;
mod manifests;
mod shape;
mod table;
mod text;
mod unused;

use std::process::ExitCode;

use anyhow::Result;

use self::finding::Finding;
use self::workspace::Workspace;

/// What `--help` says.
pub(crate) const ABOUT: &str = "\
Check the rules that no other tool checks.

  layers     crates use only what the table in ARCHITECTURE.md allows, in the build and in
             tests; a crate that owns an external one is the only one to use it
  shape      every .rs file starts with `//!`; no file over 800 lines, no function over 70
  calls      no clock, randomness, environment or panic in libraries
  manifests  every dependency has a reason and an exact version; lints are inherited
  leftovers  no unfinished code, switched-off tests, or modules called utils
  text       no trailing white space, no paths of one machine
  links      relative links in Markdown lead somewhere
  licences   third-party crates have a licence on the list
  unused     no dependency that the sources never name

Each finding says where, what, and what to do. Exceptions are rows in the file of the rule
(xtask/src/tidy/), each with its reason.";

/// Checks the workspace; findings fail the run.
pub(crate) fn run() -> Result<ExitCode> {
    Ok(if check()? {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Prints what is wrong; the answer is whether nothing is.
pub(crate) fn check() -> Result<bool> {
    let workspace = Workspace::read(&crate::step::root())?;
    let findings = findings(&workspace);
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        let (files, crates) = (workspace.files.len(), workspace.crates.len());
        println!("tidy: nothing to report in {files} files, {crates} crates");
    } else {
        println!("tidy: {} to put right", findings.len());
    }
    Ok(findings.is_empty())
}

fn findings(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = layers::check(workspace);
    findings.extend(shape::check(workspace));
    findings.extend(calls::check(workspace));
    findings.extend(manifests::check(workspace));
    findings.extend(leftovers::check(workspace));
    findings.extend(text::check(workspace));
    findings.extend(links::check(workspace));
    findings.extend(licences::check(workspace));
    findings.extend(unused::check(workspace));
    findings.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    findings
}

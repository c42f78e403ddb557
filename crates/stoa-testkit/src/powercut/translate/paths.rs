//! Which paths lie below the root, and what they are called from there.

use std::path::{Component, Path, PathBuf};

/// The root, as it was given and as the system calls it.
#[derive(Debug)]
pub(super) struct Roots {
    names: Vec<PathBuf>,
}

impl Roots {
    pub(super) fn new(root: &Path) -> Self {
        let canonical = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        Self {
            names: vec![canonical, root.to_owned()],
        }
    }

    pub(super) fn contain(&self, path: &Path) -> bool {
        self.names.iter().any(|name| path.starts_with(name))
    }

    /// The path from the root, if an absolute path lies below it.
    pub(super) fn relative(&self, path: &Path) -> Option<PathBuf> {
        let path = normal(path);
        self.names
            .iter()
            .find_map(|name| path.strip_prefix(name).ok())
            .map(Path::to_owned)
    }
}

/// Without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                normal.push(component);
            }
        }
    }
    normal
}

//! What people come for, each way they have to touch a page: with a mouse and scripts, without
//! scripts, with keys alone.

mod admin;
mod in_place;
mod live;
mod moderator;
mod newcomer;
mod windows;

use super::people::{PASSWORD, days_ago};
use super::site::Site;
use super::window::{Way, Window};

/// A test for each way of touching pages.
macro_rules! every_way {
    ($($name:ident),* $(,)?) => {$(
        mod $name {
            use super::super::super::window::Way;

            #[test]
            fn with_a_mouse() {
                super::$name(Way::Mouse);
            }

            #[test]
            fn without_scripts() {
                super::$name(Way::NoScripts);
            }

            #[test]
            fn with_keys_alone() {
                super::$name(Way::Keys);
            }
        }
    )*};
}
use every_way;

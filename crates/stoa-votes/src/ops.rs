//! What people do with votes and accounts: one action for each file.

pub mod account;
pub mod change_name;
mod claim;
pub mod end_account;
pub mod merge;
pub mod record_signal;
pub mod register;
pub mod release;
pub mod reset_password;
pub mod roles;
pub mod sign_in;
pub mod standing;
pub mod submit;
pub mod sync;
pub mod verify_email;

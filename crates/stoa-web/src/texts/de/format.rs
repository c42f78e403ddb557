//! How German writes numbers and days.

use crate::texts::format::FormatTexts;

pub(super) const TEXTS: FormatTexts = FormatTexts {
    thousands: ".",
    point: ",",
    months: [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
    short_months: [
        "Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.",
        "Dez.",
    ],
    weekdays: [
        "Montag",
        "Dienstag",
        "Mittwoch",
        "Donnerstag",
        "Freitag",
        "Samstag",
        "Sonntag",
    ],
    date: |day, month, year| match year {
        Some(year) => format!("{day}. {month} {year}"),
        None => format!("{day}. {month}"),
    },
    moment: |day, time| format!("{day}, {time}"),
};

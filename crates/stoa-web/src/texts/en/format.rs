//! How English writes numbers and days.

use crate::texts::format::FormatTexts;

pub(super) const TEXTS: FormatTexts = FormatTexts {
    thousands: ",",
    point: ".",
    months: [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    short_months: [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ],
    weekdays: [
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
    ],
    date: |day, month, year| match year {
        Some(year) => format!("{day} {month} {year}"),
        None => format!("{day} {month}"),
    },
    moment: |day, time| format!("{day}, {time}"),
};

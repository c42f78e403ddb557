//! What people of a demo write: names, titles, comments, tags.

pub(super) const NAMES: [&str; 20] = [
    "ada", "ben", "cleo", "dora", "emil", "fay", "gus", "hana", "ivo", "jana", "karl", "lena",
    "milo", "nora", "otto", "paula", "quin", "rosa", "sven", "thea",
];

/// Keys and names of categories.
pub(super) const CATEGORIES: [(&str, &str); 6] = [
    ("education", "Education"),
    ("health", "Health"),
    ("transport", "Transport"),
    ("environment", "Environment"),
    ("taxes", "Taxes"),
    ("culture", "Culture"),
];

/// What a title begins with.
pub(super) const WISHES: [&str; 8] = [
    "More",
    "Fewer",
    "Free",
    "Better",
    "Safer",
    "Open",
    "Repair the",
    "Share the",
];

/// What a title is about, its category and its tag.
pub(super) const THINGS: [(&str, &str, &str); 20] = [
    ("school meals", "education", "children"),
    ("evening classes", "education", "learning"),
    ("libraries", "culture", "books"),
    ("playgrounds", "education", "children"),
    ("night buses", "transport", "buses"),
    ("cycle lanes", "transport", "cycling"),
    ("pedestrian streets", "transport", "walking"),
    ("tram stops", "transport", "trams"),
    ("street trees", "environment", "green"),
    ("allotment gardens", "environment", "green"),
    ("rivers", "environment", "water"),
    ("waste bins", "environment", "waste"),
    ("clinics", "health", "care"),
    ("sports halls", "health", "sport"),
    ("swimming pools", "health", "sport"),
    ("first-aid courses", "health", "care"),
    ("parking fees", "taxes", "money"),
    ("dog licences", "taxes", "money"),
    ("concerts", "culture", "music"),
    ("markets", "culture", "food"),
];

/// Where something shall be.
pub(super) const PLACES: [&str; 8] = [
    "in the old town",
    "by the harbour",
    "for everyone",
    "on weekends",
    "in every quarter",
    "near the station",
    "for families",
    "after dark",
];

pub(super) const COMMENTS: [&str; 10] = [
    "I walk past it every day, and it is overdue.",
    "Who pays for it? The description does not say.",
    "Our neighbours have had this for years, and it works.",
    "I took my votes off until the costs are known.",
    "Could this be merged with the one about families?",
    "Yes, but start small: one street first.",
    "My children would use it tomorrow.",
    "Please add a map to the description.",
    "I disagree, there are more urgent things.",
    "Thank you for writing this down.",
];

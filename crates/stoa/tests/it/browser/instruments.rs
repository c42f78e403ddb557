//! What only a test does with a window: other screens, pictures, cookies, and what the browser wrote
//! down.

use std::path::Path;

use serde_json::{Value, json};

use super::window::{MOST_LOOKS, Window};

impl Window {
    /// Cookies as a header.
    pub(super) fn cookies(&self) -> String {
        let cookies = self.call("GET", "/cookie", &Value::Null);
        let pairs = cookies.as_array().unwrap().iter().map(|it| {
            format!(
                "{}={}",
                it["name"].as_str().unwrap(),
                it["value"].as_str().unwrap()
            )
        });
        pairs.collect::<Vec<_>>().join("; ")
    }

    /// Makes the window as wide as a screen of so many pixels, in light or dark.
    pub(super) fn become_wide(&self, width: u32, is_dark: bool) {
        let height = if width < 768 { 844 } else { 900 };
        self.command(
            "Emulation.setDeviceMetricsOverride",
            &json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
        );
        let scheme = if is_dark { "dark" } else { "light" };
        self.command(
            "Emulation.setEmulatedMedia",
            &json!({"features": [
                {"name": "prefers-color-scheme", "value": scheme},
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ]}),
        );
    }

    /// Shows the page as paper has it.
    pub(super) fn become_paper(&self) {
        let dark = json!([{"name": "prefers-color-scheme", "value": "dark"}]);
        self.command(
            "Emulation.setEmulatedMedia",
            &json!({"media": "print", "features": dark}),
        );
    }

    /// Lets things move, or asks them not to.
    pub(super) fn become_lively(&self, is_lively: bool) {
        let motion = if is_lively { "no-preference" } else { "reduce" };
        self.command(
            "Emulation.setEmulatedMedia",
            &json!({"features": [{"name": "prefers-reduced-motion", "value": motion}]}),
        );
    }

    /// Waits until a script gives something.
    pub(super) fn becomes(&self, script: &str, wanted: &Value) -> &Self {
        self.becomes_with(script, &json!([]), wanted)
    }

    /// Waits until a script gives something for its arguments.
    pub(super) fn becomes_with(&self, script: &str, arguments: &Value, wanted: &Value) -> &Self {
        let mut last = Value::Null;
        let is_there = (0..MOST_LOOKS).any(|_| {
            last = self.run(script, arguments);
            last == *wanted
        });
        assert!(
            is_there,
            "{script} gives {last}, not {wanted}, at {}",
            self.place()
        );
        self
    }

    /// Waits until a script gives a text that begins so.
    pub(super) fn becomes_like(&self, script: &str, beginning: &str) -> &Self {
        let begins = format!("return (() => {{ {script} }})().startsWith(arguments[0])");
        self.becomes_with(&begins, &json!([beginning]), &json!(true))
    }

    /// A picture of the whole page.
    pub(super) fn picture(&self, file: &Path) {
        let shot = self.command(
            "Page.captureScreenshot",
            &json!({"format": "png", "captureBeyondViewport": true, "optimizeForSpeed": true}),
        );
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes_of(shot["data"].as_str().unwrap())).unwrap();
    }

    /// What the browser complains of since it was asked last: scripts that fail, what the policy of
    /// the page forbids, files that are not there. That a page itself says no is no complaint.
    pub(super) fn complaints(&self) -> Vec<String> {
        let log = self.call("POST", "/se/log", &json!({"type": "browser"}));
        let lines = log.as_array().unwrap().iter();
        let bad = lines.filter(|it| matches!(it["level"].as_str(), Some("SEVERE" | "WARNING")));
        let messages = bad.map(|it| it["message"].as_str().unwrap());
        let is_refusal =
            |it: &str| it.contains("responded with a status of 4") && !it.contains("/static/");
        messages
            .filter(|it| !is_refusal(it))
            .map(str::to_owned)
            .collect()
    }

    /// Every address that was asked for since this was asked last.
    pub(super) fn requests(&self) -> Vec<String> {
        let log = self.call("POST", "/se/log", &json!({"type": "performance"}));
        let lines = log.as_array().unwrap().iter();
        let events = lines
            .map(|it| -> Value { serde_json::from_str(it["message"].as_str().unwrap()).unwrap() });
        events
            .filter(|it| it["message"]["method"] == "Network.requestWillBeSent")
            .map(|it| {
                it["message"]["params"]["request"]["url"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    }
}

/// The bytes that base64 stands for.
fn bytes_of(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut held, mut bits) = (0_u32, 0);
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).unwrap());
        }
    }
    bytes
}

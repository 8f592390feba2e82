//! The style sheet and the scripts, embedded in the program. Their addresses contain a hash of their content, so that browsers
//! can cache them without revalidation.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

/// An embedded file.
pub(crate) struct Asset {
    /// Its name in addresses: `style-1f2e3d4c.css`.
    pub(crate) name: String,
    pub(crate) content_type: &'static str,
    pub(crate) content: &'static str,
}

const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/app.js");
const ICON: &str = include_str!("../assets/icon.svg");

/// Every file.
fn all() -> &'static [Asset; 3] {
    static ASSETS: OnceLock<[Asset; 3]> = OnceLock::new();
    let asset = |stem: &str, extension: &str, content_type, content: &'static str| {
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        let name = format!("{stem}-{:08x}.{extension}", hasher.finish() as u32);
        Asset { name, content_type, content }
    };
    ASSETS.get_or_init(|| {
        [
            asset("style", "css", "text/css; charset=utf-8", STYLE),
            asset("app", "js", "text/javascript; charset=utf-8", SCRIPT),
            asset("icon", "svg", "image/svg+xml", ICON),
        ]
    })
}

/// A file by its name in addresses.
pub(crate) fn find(name: &str) -> Option<&'static Asset> {
    all().iter().find(|asset| asset.name == name)
}

fn address(at: usize) -> String {
    format!("/assets/{}", all()[at].name)
}

/// The address of the style sheet.
pub(crate) fn style() -> String {
    address(0)
}

/// The address of the script.
pub(crate) fn script() -> String {
    address(1)
}

/// The address of the icon.
pub(crate) fn icon() -> String {
    address(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_and_styles_stay_small() {
        assert!(SCRIPT.len() <= 60 << 10, "{} bytes of script", SCRIPT.len());
        assert!(STYLE.len() <= 30 << 10, "{} bytes of styles", STYLE.len());
    }

    #[test]
    fn nothing_leads_to_another_origin() {
        for content in [STYLE, SCRIPT] {
            assert!(!content.contains("http://") && !content.contains("https://"));
        }
        for word in ["eval(", "new Function", "document.write", "insertAdjacentHTML"] {
            assert!(!SCRIPT.contains(word), "{word}");
        }
    }

    #[test]
    fn names_lead_to_their_content() {
        let name = style();
        assert_eq!(find(name.trim_start_matches("/assets/")).map(|asset| asset.content), Some(STYLE));
        assert!(find("style.css").is_none());
    }
}

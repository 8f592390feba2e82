//! Plants bytes in place of any file of a repository that is read, and asks everything. Shared by a property test and a fuzz target; makes its
//! repository without git.

use orient_history::{History, HistoryError};
use orient_model::RepoPath;
use orient_walk::{Tree, WalkOptions, list};
use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

/// The objects are named by hand: what an object is called is not what its content says.
const COMMIT: &str = "1111111111111111111111111111111111111111";
const TREE: &str = "2222222222222222222222222222222222222222";
const BLOB: &str = "3333333333333333333333333333333333333333";
const PACK: &str = "objects/pack/pack-4444444444444444444444444444444444444444";

/// Where bytes are planted. An object is compressed first, so that its content is reached.
const PLACES: [(&str, Option<&str>); 21] = [
    (".git/HEAD", None),
    (".git/packed-refs", None),
    (".git/refs/heads/main", None),
    (".git/index", None),
    (".git/config", None),
    (".git/commondir", None),
    (".git/shallow", None),
    (".git/logs/HEAD", None),
    (".git/info/grafts", None),
    (".git/info/exclude", None),
    (".git/info/attributes", None),
    (".git/objects/info/alternates", None),
    (".git/objects/pack/multi-pack-index", None),
    (".git/objects/pack/pack-4444444444444444444444444444444444444444.idx", None),
    (".git/objects/pack/pack-4444444444444444444444444444444444444444.pack", None),
    (".git/objects/11/11111111111111111111111111111111111111", Some("commit")),
    (".git/objects/22/22222222222222222222222222222222222222", Some("tree")),
    (".git/objects/33/33333333333333333333333333333333333333", Some("blob")),
    (".git/objects/33/33333333333333333333333333333333333333", None),
    (".gitignore", None),
    (".gitmodules", None),
];

/// The number of places.
#[allow(dead_code, reason = "the fuzz target takes any number")]
pub(crate) const COUNT: usize = PLACES.len();

/// Plants bytes at the place that the first one selects, and asks everything. Only a panic, an abort or a lack of an end is wrong.
pub(crate) fn ask_with(root: &Path, bytes: &[u8]) {
    let Some((place, bytes)) = bytes.split_first() else { return };
    let (file, kind) = PLACES[usize::from(*place) % PLACES.len()];
    make(root);
    write(root, file, &kind.map_or_else(|| bytes.to_vec(), |kind| object(kind, bytes)));
    let _ = list(root, &WalkOptions::default());
    let _ = ask(root);
    fs::remove_dir_all(root).expect("removed");
}

fn ask(root: &Path) -> Result<(), HistoryError> {
    let mut history = History::open(root)?;
    history.limit_memory(1 << 20);
    let _ = history.named_refs();
    let _ = history.changes("HEAD@{1}", &[], true);
    let head = history.revision("main")?;
    let path = RepoPath::from("a.py");
    let _ = history.path_log(head, &path, &mut |_, _, _| Ok(ControlFlow::Continue(())));
    let _ = history.line_log(head, &path, 1..3, &mut |_, _, _| Ok(ControlFlow::Continue(())));
    let _ = history.blame(head, &path, &BTreeSet::new());
    let pattern = regex::bytes::Regex::new("return").expect("a pattern");
    let _ = history.occurrences(head, pattern, &mut |_, _, _| Ok(ControlFlow::Continue(())));
    let _ = history.compare(None, &head);
    let _ = history.changes("main", &[], true);
    let _ = history.commit(&head);
    let _ = history.commit_tree(&head)?.list(&WalkOptions::default(), None);
    Ok(())
}

/// A repository with one commit.
fn make(root: &Path) {
    let tree = [&b"100644 a.py\0"[..], &[0x33; 20]].concat();
    let commit = format!("tree {TREE}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nfirst\n");
    for (id, kind, bytes) in
        [(COMMIT, "commit", commit.as_bytes()), (TREE, "tree", &tree), (BLOB, "blob", b"return 1\n")]
    {
        write(root, &format!(".git/objects/{}/{}", &id[..2], &id[2..]), &object(kind, bytes));
    }
    write(root, ".git/HEAD", b"ref: refs/heads/main\n");
    write(root, ".git/refs/heads/main", format!("{COMMIT}\n").as_bytes());
    write(root, &format!(".git/{PACK}.idx"), b"");
    write(root, &format!(".git/{PACK}.pack"), b"");
    write(root, "a.py", b"return 1\n");
}

fn write(root: &Path, file: &str, bytes: &[u8]) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().expect("a directory")).expect("made");
    fs::write(path, bytes).expect("written");
}

/// A loose object: its header and content in a zlib stream of stored blocks.
fn object(kind: &str, content: &[u8]) -> Vec<u8> {
    let bytes = [format!("{kind} {}\0", content.len()).as_bytes(), content].concat();
    let mut stream = vec![0x78, 0x01];
    let mut blocks = bytes.chunks(usize::from(u16::MAX)).peekable();
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).expect("a block is as small");
        stream.push(u8::from(blocks.peek().is_none()));
        stream.extend_from_slice(&length.to_le_bytes());
        stream.extend_from_slice(&(!length).to_le_bytes());
        stream.extend_from_slice(block);
    }
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in &bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    stream.extend_from_slice(&(b << 16 | a).to_be_bytes());
    stream
}

//! Any bytes in place of any file of a repository: every question ends with an answer or an error.

use crate::planted_bytes::{COUNT, ask_with};
use proptest::prelude::*;

/// Pieces that git's files are made of, so that random bytes get past the first check.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        any::<Vec<u8>>(),
        "[0-9a-f]{40}".prop_map(String::into_bytes),
        prop::sample::select(vec![
            &b"ref: refs/heads/main\n"[..],
            b"tree 2222222222222222222222222222222222222222\n",
            b"parent 1111111111111111111111111111111111111111\n",
            b"40000 d\0\x22\x22\x22\x22\x22\x22\x22\x22\x22\x22\x22\x22\x22\x22\x22\x22\x22\x22\x22\x22",
            b"100644 a.py\0\x33\x33\x33\x33\x33\x33\x33\x33\x33\x33\x33\x33\x33\x33\x33\x33\x33\x33\x33\x33",
            b"committer A <a@b> 9223372036854775807 +9999\n",
            b"1111111111111111111111111111111111111111 1111111111111111111111111111111111111111\n",
            b"DIRC\0\0\0\x02\0\0\0\x01",
            b"\xfftOc\0\0\0\x02",
            b"PACK\0\0\0\x02\xff\xff\xff\xff",
            b"MIDX\x01\x01\x04\0",
            b"[core]\n\tworktree = /\n",
            b"gitdir: ..\n",
            b"/**/[!a]{b,c}\\\n",
        ])
        .prop_map(<[u8]>::to_vec),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_in_any_file_end_in_an_answer_or_an_error(
        place in 0..COUNT,
        pieces in prop::collection::vec(piece(), 0..8),
    ) {
        let directory = tempfile::tempdir().expect("a directory");
        let mut bytes = vec![u8::try_from(place).expect("few places")];
        bytes.extend(pieces.concat());
        ask_with(&directory.path().join("repo"), &bytes);
    }
}

#[test]
fn the_planted_repository_is_read_as_it_is() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path().join("repo");
    ask_with(&root, &[17, b'x']);
    assert!(!root.exists(), "each case makes its own");
}

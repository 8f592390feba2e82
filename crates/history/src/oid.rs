//! Object ids: the hash of an object's type, size and content.

use gix_hash::{Kind, ObjectId, hasher};
use std::io::{self, Read};

/// The id of an object.
pub type Oid = ObjectId;

/// Parses an id: forty hexadecimal digits, or sixty-four where ids are SHA-256.
pub(crate) fn parse(text: &str) -> Option<Oid> {
    ObjectId::from_hex(text.as_bytes()).ok()
}

/// Reads the id at the start of the bytes.
pub(crate) fn read(bytes: &[u8], hash: Kind) -> Option<Oid> {
    ObjectId::try_from(bytes.get(..hash.len_in_bytes())?).ok()
}

/// The id of a blob with this content. `None` if the content is not `size` bytes long.
pub(crate) fn of_blob(mut content: impl Read, size: u64, hash: Kind) -> io::Result<Option<Oid>> {
    let mut hasher = hasher(hash);
    hasher.update(format!("blob {size}\0").as_bytes());
    let (mut buffer, mut seen) = (vec![0; 64 * 1024], 0_u64);
    loop {
        let read = content.read(&mut buffer)?;
        if read == 0 {
            return Ok(if seen == size { hasher.try_finalize().ok() } else { None });
        }
        seen += read as u64;
        if seen > size {
            return Ok(None);
        }
        hasher.update(&buffer[..read]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blob_id_is_the_one_git_computes() {
        let oid = of_blob(&b"hello\n"[..], 6, Kind::Sha1).expect("it is read").expect("of that size");
        assert_eq!(oid.to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(parse(&oid.to_string()), Some(oid));
        assert_eq!(of_blob(&b"hello\n"[..], 5, Kind::Sha1).expect("it is read"), None);
        let oid = of_blob(&b"hello\n"[..], 6, Kind::Sha256).expect("it is read").expect("of that size");
        assert_eq!(oid.to_string(), "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4");
        assert_eq!(parse("ce01"), None);
    }
}

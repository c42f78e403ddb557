//! The digests that `mask_hash` knows: those of Java 17, by Java's names.

use md2::Md2;
use md5::Md5;
use sha1::Sha1;
use sha2::digest::Digest as Hasher;
use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};

/// What makes a digest of a message.
pub(super) type Digest = fn(&[u8]) -> Vec<u8>;

/// The digest of this name, in any case, as Java names it.
pub(super) fn digest(algorithm: &str) -> Option<Digest> {
    Some(match algorithm.to_ascii_uppercase().as_str() {
        "MD2" => of::<Md2>,
        "MD5" => of::<Md5>,
        "SHA" | "SHA1" | "SHA-1" => of::<Sha1>,
        "SHA224" | "SHA-224" => of::<Sha224>,
        "SHA256" | "SHA-256" => of::<Sha256>,
        "SHA384" | "SHA-384" => of::<Sha384>,
        "SHA512" | "SHA-512" => of::<Sha512>,
        "SHA512/224" | "SHA-512/224" => of::<Sha512_224>,
        "SHA512/256" | "SHA-512/256" => of::<Sha512_256>,
        "SHA3-224" => of::<Sha3_224>,
        "SHA3-256" => of::<Sha3_256>,
        "SHA3-384" => of::<Sha3_384>,
        "SHA3-512" => of::<Sha3_512>,
        _ => return None,
    })
}

fn of<H: Hasher>(message: &[u8]) -> Vec<u8> {
    H::digest(message).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digests of a message of two blocks, from an independent implementation.
    #[test]
    fn digests_of_two_blocks_are_known() {
        let message = "a".repeat(130);
        for (algorithm, expected) in [
            ("MD5", "e016e4ccc7fdaea56fc377600b58c4cb"),
            ("SHA-1", "e1cd437ec3e8a60db34e1d150a4fc73882d83b41"),
            (
                "SHA-224",
                "015242091efe54b62e77ede1ea519d927207ed0013666ad382a6f6ca",
            ),
            (
                "SHA-256",
                "1e3c4f4750c8c29bbfa9ced317788176b156d342e57f7777f62fd7221a44312f",
            ),
            (
                "SHA-384",
                "7056e36c0e04dd99f09bc1195561a8cac3ecf81c242058c62ccfdae252719eab\
                 138175a20044f4683a1d79a367b723b4",
            ),
            (
                "SHA-512",
                "b2fc6acdce83feb0b9439433915fe5dc1c73af6f17e962d7badd7ad5dd7c5032\
                 bc1744855d0ba09da5e4ab1bb1caca3aad8e4a947faa19c4769e128bacfe6b85",
            ),
        ] {
            let bytes = digest(algorithm).unwrap()(message.as_bytes());
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, expected, "{algorithm}");
        }
        assert!(digest("SHA-3").is_none());
    }
}

//! Access tokens of an identity provider (OAuth 2.1, a protected resource): JSON Web Tokens (RFC 7519) that the provider signed, verified
//! with its published keys (JWKS, RFC 7517). A token counts only if it was issued by that provider, for this server (RFC 8707), and is
//! valid now.
//!
//! The signature algorithm follows from the key, never from the token, and only RS256 and ES256 are known: a token cannot choose a weaker
//! one. Every failure is the same rejection; nothing says which check failed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Fetches the key set of the provider: its bytes, or why there are none. May block.
pub type KeyFetcher = Box<dyn Fn() -> Result<Vec<u8>, String> + Send + Sync>;

/// Maximum length of a token; requests have shorter headers.
const MAX_TOKEN: usize = 16 << 10;
/// Maximum number of keys in a set.
const MAX_KEYS: usize = 64;
/// Maximum number of groups of an identity, and of characters in the name of one.
const MAX_GROUPS: usize = 200;
const MAX_NAME: usize = 256;
/// Tolerated difference between the clocks of the provider and this machine.
const CLOCK_SKEW: Duration = Duration::from_secs(30);
/// Keys are fetched again after this time: the provider may have withdrawn one.
const MAX_KEY_AGE: Duration = Duration::from_mins(15);
/// A token with an unknown key makes us fetch the keys, but not more often than this.
const MIN_FETCH_INTERVAL: Duration = Duration::from_secs(5);

/// What an operator says about the identity provider.
pub struct IdentityProviderOptions {
    /// The issuer, as its tokens name it.
    pub issuer: String,
    /// The address of this server's MCP endpoint: what tokens must be issued for.
    pub resource: String,
    /// The claim that lists the groups of a person.
    pub groups_claim: String,
    /// Fetches its keys.
    pub keys: KeyFetcher,
}

/// Whom a token of the provider stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The issuer.
    pub issuer: String,
    /// The subject, unique at the issuer.
    pub subject: String,
    /// The groups, sorted, without duplicates.
    pub groups: Vec<String>,
}

/// The identity provider that a server trusts.
pub(crate) struct IdentityProvider {
    options: IdentityProviderOptions,
    keys: RwLock<Arc<KeySet>>,
    /// When keys were last asked for; locked while they are fetched.
    asked: Mutex<Option<Instant>>,
}

#[derive(Default)]
struct KeySet {
    keys: Vec<VerificationKey>,
    fetched: Option<Instant>,
}

struct VerificationKey {
    id: Option<String>,
    material: KeyMaterial,
}

enum KeyMaterial {
    Rsa {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
    /// The point, uncompressed.
    P256(Vec<u8>),
}

impl KeyMaterial {
    fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa { .. } => "RS256",
            Self::P256(_) => "ES256",
        }
    }

    fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        match self {
            Self::Rsa { modulus: n, exponent: e } => RsaPublicKeyComponents { n, e }
                .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
                .is_ok(),
            Self::P256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature).is_ok()
            }
        }
    }
}

impl KeySet {
    /// The usable keys of a set; those of other kinds are left out.
    fn parse(bytes: &[u8]) -> Option<Vec<VerificationKey>> {
        let set: Value = serde_json::from_slice(bytes).ok()?;
        Some(set["keys"].as_array()?.iter().take(MAX_KEYS).filter_map(VerificationKey::parse).collect())
    }
}

impl VerificationKey {
    fn parse(key: &Value) -> Option<Self> {
        let number = |name: &str| URL_SAFE_NO_PAD.decode(key[name].as_str()?).ok();
        let material = match key["kty"].as_str()? {
            "RSA" => {
                let without_zeros =
                    |bytes: Vec<u8>| bytes.into_iter().skip_while(|byte| *byte == 0).collect();
                KeyMaterial::Rsa {
                    modulus: without_zeros(number("n")?),
                    exponent: without_zeros(number("e")?),
                }
            }
            "EC" if key["crv"] == "P-256" => {
                KeyMaterial::P256([&[4], number("x")?.as_slice(), number("y")?.as_slice()].concat())
            }
            _ => return None,
        };
        let is_for_signatures = key["use"].as_str().is_none_or(|usage| usage == "sig");
        let has_algorithm = key["alg"].as_str().is_none_or(|name| name == material.algorithm());
        let id = key["kid"].as_str().map(str::to_owned);
        (is_for_signatures && has_algorithm).then_some(Self { id, material })
    }
}

impl IdentityProvider {
    pub(crate) fn new(options: IdentityProviderOptions) -> Self {
        Self { options, keys: RwLock::default(), asked: Mutex::default() }
    }

    /// The address of the metadata document (RFC 9728): the well-known name stands between the host and the path of the resource.
    pub(crate) fn metadata_address(&self) -> String {
        let (origin, path) = self.split_resource();
        format!("{origin}{METADATA_PATH}{path}")
    }

    /// Whether a path is that of the metadata document, with the path of the resource or without.
    pub(crate) fn is_metadata_path(&self, path: &str) -> bool {
        path.strip_prefix(METADATA_PATH)
            .is_some_and(|rest| rest.is_empty() || rest == self.split_resource().1)
    }

    /// The metadata document.
    pub(crate) fn metadata(&self) -> Value {
        serde_json::json!({
            "resource": self.options.resource,
            "authorization_servers": [self.options.issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "Orient",
        })
    }

    fn split_resource(&self) -> (&str, &str) {
        let resource = self.options.resource.trim_end_matches('/');
        let host = resource.find("://").map_or(0, |at| at + 3);
        resource.split_at(resource[host..].find('/').map_or(resource.len(), |at| host + at))
    }

    /// Whom a token stands for; `None` if it does not count. May fetch the keys.
    pub(crate) fn identify(&self, token: &str) -> Option<Identity> {
        let token = SignedToken::parse(token)?;
        let keys = self.current_keys(|keys| keys.fetched.is_none_or(|at| at.elapsed() > MAX_KEY_AGE));
        let mut is_signed = token.is_signed_by(&keys);
        if is_signed.is_none() {
            // The provider may have a new key.
            is_signed = token.is_signed_by(&self.current_keys(|_| true));
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        is_signed.filter(|is_signed| *is_signed).and_then(|_| self.checked_identity(&token.claims, now))
    }

    /// The keys, fetched again if they are outdated and were not asked for a moment ago. If that fails, the known ones stay.
    fn current_keys(&self, is_outdated: impl Fn(&KeySet) -> bool) -> Arc<KeySet> {
        let known = || self.keys.read().unwrap_or_else(PoisonError::into_inner).clone();
        if !is_outdated(&known()) {
            return known();
        }
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.is_none_or(|at| at.elapsed() >= MIN_FETCH_INTERVAL) {
            *asked = Some(Instant::now());
            match (self.options.keys)().map(|bytes| KeySet::parse(&bytes)) {
                Ok(Some(keys)) => {
                    let set = KeySet { keys, fetched: Some(Instant::now()) };
                    *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(set);
                }
                Ok(None) => tracing::warn!("the keys of the identity provider are not a key set"),
                Err(_) => tracing::warn!("the keys of the identity provider cannot be fetched"),
            }
        }
        known()
    }

    fn checked_identity(&self, claims: &Value, now: Duration) -> Option<Identity> {
        let audience = |value: &Value| value.as_str() == Some(&self.options.resource);
        let is_for_us =
            audience(&claims["aud"]) || claims["aud"].as_array().is_some_and(|all| all.iter().any(audience));
        let is_from_issuer = claims["iss"].as_str() == Some(&self.options.issuer);
        let (now, skew) = (now.as_secs_f64(), CLOCK_SKEW.as_secs_f64());
        let is_valid = claims["exp"].as_f64()? + skew > now
            && claims.get("nbf").is_none_or(|from| from.as_f64().is_some_and(|from| from - skew <= now));
        let subject = claims["sub"].as_str().filter(|subject| is_name(subject))?;
        (is_for_us && is_from_issuer && is_valid).then(|| Identity {
            issuer: self.options.issuer.clone(),
            subject: subject.to_owned(),
            groups: groups(&claims[self.options.groups_claim.as_str()]),
        })
    }
}

/// Where the metadata document is.
const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().count() <= MAX_NAME && !name.chars().any(char::is_control)
}

/// The groups that a claim lists: a list of names, or one name.
fn groups(claim: &Value) -> Vec<String> {
    let listed = claim.as_array().map_or_else(|| std::slice::from_ref(claim), Vec::as_slice);
    let names = listed.iter().filter_map(Value::as_str).filter(|name| is_name(name));
    let mut groups: Vec<String> = names.take(MAX_GROUPS).map(str::to_owned).collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// A token whose signature is not verified yet.
struct SignedToken<'t> {
    algorithm: String,
    key: Option<String>,
    message: &'t str,
    signature: Vec<u8>,
    claims: Value,
}

impl<'t> SignedToken<'t> {
    /// The parts of a token in compact form (RFC 7515).
    fn parse(token: &'t str) -> Option<Self> {
        let (message, signature) = token.rsplit_once('.').filter(|_| token.len() <= MAX_TOKEN)?;
        let (header, claims) = message.split_once('.')?;
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
        let object =
            |part: &str| serde_json::from_slice::<Value>(&decode(part)?).ok().filter(Value::is_object);
        let header = object(header)?;
        // An extension that must be understood is one that we do not know.
        let has_extensions = header.get("crit").is_some();
        let algorithm = header["alg"].as_str()?.to_owned();
        let key = header["kid"].as_str().map(str::to_owned);
        let (signature, claims) = (decode(signature)?, object(claims)?);
        (!has_extensions).then_some(Self { algorithm, key, message, signature, claims })
    }

    /// Whether the key that the token names has signed it; without a name, whether any has. `None` if there is no such key.
    fn is_signed_by(&self, keys: &KeySet) -> Option<bool> {
        let mut named = keys.keys.iter().filter(|key| self.key.is_none() || key.id == self.key).peekable();
        named.peek()?;
        Some(named.any(|key| {
            key.material.algorithm() == self.algorithm
                && key.material.verifies(self.message.as_bytes(), &self.signature)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
    use serde_json::json;

    const ISSUER: &str = "https://login.example";
    const RESOURCE: &str = "https://code.example/mcp";

    /// A provider's signing key.
    struct Signer(EcdsaKeyPair);

    impl Signer {
        fn new() -> Self {
            let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
            let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
            Self(EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).expect("a key"))
        }

        fn public(&self, id: &str) -> Value {
            let point = self.0.public_key().as_ref();
            let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
            json!({ "kty": "EC", "crv": "P-256", "kid": id, "x": encode(&point[1..33]), "y": encode(&point[33..]) })
        }

        fn sign(&self, header: &Value, claims: &Value) -> String {
            let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
            let message = format!("{}.{}", encode(header), encode(claims));
            let signature = self.0.sign(&SystemRandom::new(), message.as_bytes()).expect("a signature");
            format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
        }
    }

    fn provider(keys: impl Fn() -> Value + Send + Sync + 'static) -> IdentityProvider {
        IdentityProvider::new(IdentityProviderOptions {
            issuer: ISSUER.to_owned(),
            resource: RESOURCE.to_owned(),
            groups_claim: "groups".to_owned(),
            keys: Box::new(move || Ok(keys().to_string().into_bytes())),
        })
    }

    fn seconds_from_now(seconds: i64) -> i64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        now.as_secs().cast_signed() + seconds
    }

    fn claims() -> Value {
        json!({ "iss": ISSUER, "aud": RESOURCE, "sub": "anna", "exp": seconds_from_now(600), "groups": ["b", "a", "b"] })
    }

    fn header() -> Value {
        json!({ "alg": "ES256", "kid": "k1" })
    }

    #[test]
    fn a_valid_token_names_a_subject_and_its_groups() {
        let signer = Signer::new();
        let keys = json!({ "keys": [{ "kty": "oct", "k": "AAAA" }, signer.public("k1")] });
        let provider = provider(move || keys.clone());
        let groups = vec!["a".to_owned(), "b".to_owned()];
        let expected = Identity { issuer: ISSUER.to_owned(), subject: "anna".to_owned(), groups };
        assert_eq!(provider.identify(&signer.sign(&header(), &claims())), Some(expected));
        let mut many = claims();
        many["aud"] = json!(["https://other.example", RESOURCE]);
        assert!(provider.identify(&signer.sign(&header(), &many)).is_some());
    }

    #[test]
    fn every_wrong_claim_rejects_a_token() {
        let signer = Signer::new();
        let keys = json!({ "keys": [signer.public("k1")] });
        let provider = provider(move || keys.clone());
        let wrong = [
            ("exp", json!(seconds_from_now(-60))),
            ("exp", json!("tomorrow")),
            ("exp", Value::Null),
            ("nbf", json!(seconds_from_now(120))),
            ("nbf", json!("now")),
            ("aud", json!("https://code.example")),
            ("aud", json!(["https://other.example/mcp"])),
            ("aud", Value::Null),
            ("iss", json!("https://login.example.evil")),
            ("iss", Value::Null),
            ("sub", json!("")),
            ("sub", json!("a\nb")),
        ];
        for (claim, value) in wrong {
            let mut claims = claims();
            claims[claim] = value.clone();
            assert_eq!(provider.identify(&signer.sign(&header(), &claims)), None, "{claim} {value}");
        }
    }

    #[test]
    fn a_token_cannot_choose_how_it_is_verified() {
        let (signer, stranger) = (Signer::new(), Signer::new());
        let keys = json!({ "keys": [signer.public("k1")] });
        let provider = provider(move || keys.clone());
        for header in [
            json!({ "alg": "none", "kid": "k1" }),
            json!({ "alg": "HS256", "kid": "k1" }),
            json!({ "alg": "RS256", "kid": "k1" }),
            json!({ "alg": "ES256", "kid": "other" }),
            json!({ "alg": "ES256", "kid": "k1", "crit": ["exp"] }),
            json!({ "kid": "k1" }),
        ] {
            assert_eq!(provider.identify(&signer.sign(&header, &claims())), None, "{header}");
        }
        assert_eq!(
            provider.identify(&stranger.sign(&header(), &claims())),
            None,
            "another key with the same name"
        );
        let valid = signer.sign(&header(), &claims());
        let unsigned = &valid[..=valid.rfind('.').expect("a part")];
        let (message, signature) = valid.rsplit_once('.').expect("parts");
        let changed = format!("{message}x.{signature}");
        for token in [unsigned, &changed, "", ".", "..", "a.b.c", &format!("{valid}.{signature}")] {
            assert_eq!(provider.identify(token), None, "{token}");
        }
    }

    #[test]
    fn an_unknown_key_fetches_the_keys_but_not_for_every_token() {
        let (signer, fetches) = (Signer::new(), Arc::new(Mutex::new(0)));
        let (keys, counted) = (json!({ "keys": [signer.public("k1")] }), fetches.clone());
        let provider = provider(move || {
            *counted.lock().expect("no panic") += 1;
            keys.clone()
        });
        for _ in 0..20 {
            provider.identify(&signer.sign(&json!({ "alg": "ES256", "kid": "new" }), &claims()));
        }
        assert_eq!(*fetches.lock().expect("no panic"), 1);
    }

    #[test]
    fn the_metadata_document_is_at_the_well_known_place() {
        let provider = provider(|| json!({}));
        let address = "https://code.example/.well-known/oauth-protected-resource/mcp";
        assert_eq!(provider.metadata_address(), address);
        for path in ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"] {
            assert!(provider.is_metadata_path(path), "{path}");
        }
        assert!(!provider.is_metadata_path("/.well-known/oauth-protected-resource/other"));
        assert_eq!(provider.metadata()["authorization_servers"], json!([ISSUER]));
    }
}

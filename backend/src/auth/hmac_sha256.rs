//! HMAC-SHA-256 for session tokens. jsonwebtoken's own providers bring every algorithm and a second cryptographic library.

use hmac::{Hmac, KeyInit, Mac};
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result, new_error};
use jsonwebtoken::signature::{Error, Signer, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily};
use sha2::Sha256;

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| match key.family() {
        AlgorithmFamily::Hmac => Ok(Box::new(HmacSha256::new(*algorithm, key.as_bytes())?)),
        _ => Err(new_error(ErrorKind::InvalidKeyFormat)),
    },
    verifier_factory: |algorithm, key| match key.family() {
        AlgorithmFamily::Hmac => Ok(Box::new(HmacSha256::new(*algorithm, key.try_get_as_bytes()?)?)),
        _ => Err(new_error(ErrorKind::InvalidKeyFormat)),
    },
    key_utils: KeyUtils::new_unimplemented(),
};

/// Installs this as the process's provider, which jsonwebtoken needs before it signs or checks anything.
pub fn install() {
    // It fails if it was installed before.
    let _ = PROVIDER.install_default();
}

struct HmacSha256(Hmac<Sha256>);

impl HmacSha256 {
    fn new(algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        if algorithm != Algorithm::HS256 {
            return Err(new_error(ErrorKind::UnsupportedAlgorithm));
        }
        Ok(Self(Hmac::new_from_slice(key).expect("HMAC takes keys of any length")))
    }

    fn mac(&self, message: &[u8]) -> Hmac<Sha256> {
        self.0.clone().chain_update(message)
    }
}

impl Signer<Vec<u8>> for HmacSha256 {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, Error> {
        Ok(self.mac(message).finalize().into_bytes().to_vec())
    }
}

impl Verifier<Vec<u8>> for HmacSha256 {
    /// Compares in constant time.
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        self.mac(message).verify_slice(signature).map_err(|_| Error::new())
    }
}

impl JwtSigner for HmacSha256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl JwtVerifier for HmacSha256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

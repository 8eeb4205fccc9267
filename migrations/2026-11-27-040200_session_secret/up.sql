-- What the web processes on this database sign session tokens and sign-in codes with: at most one row. It is in no backup.
CREATE TABLE session_secret (
    is_only     boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    -- Used where no JWT_SECRET is given; null until it is needed.
    generated   text CHECK (octet_length(generated) >= 32),
    -- HMAC-SHA-256 of a constant, keyed by the secret in use. A given secret itself is not stored.
    fingerprint bytea
);

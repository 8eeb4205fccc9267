-- Keys of groups for model servers. A run that starts in a group with a key for its server asks with it.
CREATE TABLE group_model_keys (
    group_id  bigint NOT NULL REFERENCES groups (id),
    -- Name of the model server in the installation's file; `default`: the one of the short form.
    server    text NOT NULL,
    -- The key, encrypted with a key that follows from the session secret: nonce and ciphertext.
    sealed    bytea NOT NULL CHECK (length(sealed) > 40),
    -- The last characters of the key, by which people know it.
    last_four text NOT NULL CHECK (length(last_four) <= 4),
    set_by    bigint NOT NULL REFERENCES users (id),
    set_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (group_id, server)
);
CREATE INDEX group_model_keys_set_by ON group_model_keys (set_by);

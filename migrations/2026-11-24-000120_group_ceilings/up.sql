-- How many credits a group's owner may have granted to its members, spent ones included. Without it, as many as they like.
ALTER TABLE groups ADD COLUMN credit_ceiling bigint
    CONSTRAINT groups_ceiling_not_negative CHECK (credit_ceiling >= 0);

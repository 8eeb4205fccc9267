ALTER TABLE personas DROP COLUMN searched;
DROP INDEX simulations_persona_set;
DROP INDEX transactions_amount;
DROP INDEX transactions_type;
DROP INDEX group_members_newest;
ALTER TABLE group_members DROP COLUMN id;

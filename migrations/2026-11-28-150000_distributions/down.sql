ALTER TABLE responses DROP COLUMN distribution;

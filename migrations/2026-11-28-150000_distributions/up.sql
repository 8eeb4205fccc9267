-- The distribution that an answer was drawn from, in a run that asks for one: `{"options": {..}}`, `{"rows": {..}}` or
-- `{"quantiles": [..]}`. Null: the answer was asked for itself.
ALTER TABLE responses ADD COLUMN distribution jsonb CHECK (jsonb_typeof(distribution) = 'object');

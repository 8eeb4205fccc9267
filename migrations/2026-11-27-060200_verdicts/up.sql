-- The figures that are kept have verdicts of two states, and no best answer without a model: they are counted again.
UPDATE validations SET figures = NULL;

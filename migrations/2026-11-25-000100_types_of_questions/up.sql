-- Texts without an answer, sums, rankings, best and worst choices, and matrices of several labels a row.
ALTER TABLE questions
    -- What the numbers of a constant sum add up to; 100 where it is null.
    ADD COLUMN total double precision,
    DROP CONSTRAINT questions_type_known,
    DROP CONSTRAINT questions_choices,
    DROP CONSTRAINT questions_labels,
    ADD CONSTRAINT questions_type_known CHECK (question_type IN ('SINGLE_CHOICE', 'MULTIPLE_CHOICE', 'MATRIX', 'SLIDER',
        'RANGE', 'NUMBER', 'BOOLEAN', 'TEXT_ENTRY', 'OPENENDED', 'INFO', 'CONSTANT_SUM', 'RANK', 'BEST_WORST',
        'MATRIX_MULTI')),
    ADD CONSTRAINT questions_choices CHECK (
        question_type NOT IN ('SINGLE_CHOICE', 'MULTIPLE_CHOICE', 'CONSTANT_SUM', 'RANK', 'BEST_WORST')
        OR cardinality(options) >= 2),
    ADD CONSTRAINT questions_labels CHECK (question_type NOT IN ('MATRIX', 'MATRIX_MULTI')
        OR cardinality(scale_labels) >= 2),
    ADD CONSTRAINT questions_total CHECK (total IS NULL OR total > 0);

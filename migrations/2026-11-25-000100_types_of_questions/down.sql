ALTER TABLE questions
    DROP CONSTRAINT questions_total,
    DROP CONSTRAINT questions_type_known,
    DROP CONSTRAINT questions_choices,
    DROP CONSTRAINT questions_labels,
    ADD CONSTRAINT questions_type_known CHECK (question_type IN ('SINGLE_CHOICE', 'MULTIPLE_CHOICE', 'MATRIX', 'SLIDER',
        'RANGE', 'NUMBER', 'BOOLEAN', 'TEXT_ENTRY', 'OPENENDED')),
    ADD CONSTRAINT questions_choices CHECK (question_type NOT IN ('SINGLE_CHOICE', 'MULTIPLE_CHOICE')
        OR cardinality(options) >= 2),
    ADD CONSTRAINT questions_labels CHECK (question_type <> 'MATRIX' OR cardinality(scale_labels) >= 2),
    DROP COLUMN total;

-- What files for statistics programs call a question: once in its survey, whatever the case.
ALTER TABLE questions ADD COLUMN name text;
CREATE UNIQUE INDEX questions_name_key ON questions (survey_id, lower(name COLLATE "C"));

-- The names that files made from the texts so far (backend/src/models/questions/names.rs).
DO $$
DECLARE
    question record;
    word text;
    base text;
    made text;
    number integer;
BEGIN
    FOR question IN SELECT id, survey_id, position, text FROM questions ORDER BY survey_id, position LOOP
        base := '';
        FOREACH word IN ARRAY regexp_split_to_array(translate(question.text, '''’', ''), '[^a-zA-Z0-9]+') LOOP
            CONTINUE WHEN word = '';
            EXIT WHEN base <> '' AND length(base) + 1 + length(word) > 32;
            base := concat_ws('_', nullif(base, ''), word);
        END LOOP;
        base := CASE WHEN base = '' THEN 'q' || question.position WHEN base ~ '^[0-9]' THEN 'q' || base ELSE base END;
        IF lower(base COLLATE "C") IN ('all', 'and', 'as', 'assert', 'async', 'await', 'break', 'by', 'byte', 'class',
            'continue', 'def', 'del', 'double', 'elif', 'else', 'eq', 'except', 'false', 'finally', 'float', 'for',
            'from', 'function', 'ge', 'global', 'gt', 'if', 'import', 'in', 'inf', 'int', 'is', 'lambda', 'le', 'long',
            'lt', 'na', 'nan', 'ne', 'next', 'none', 'nonlocal', 'not', 'null', 'or', 'pass', 'raise', 'repeat',
            'return', 'strl', 'to', 'true', 'try', 'using', 'while', 'with', 'xor', 'yield') THEN
            base := base || '_';
        END IF;
        made := left(base, 32);
        number := 1;
        WHILE lower(made COLLATE "C") IN ('arm_order', 'notice', 'personaid', 'personapid', 'twin_id') OR EXISTS (
            SELECT FROM questions WHERE survey_id = question.survey_id
                AND lower(name COLLATE "C") = lower(made COLLATE "C")) LOOP
            number := number + 1;
            made := left(base, 31 - length(number::text)) || '_' || number;
        END LOOP;
        UPDATE questions SET name = made WHERE id = question.id;
    END LOOP;
END $$;

ALTER TABLE questions ALTER COLUMN name SET NOT NULL,
    ADD CONSTRAINT questions_name_legal CHECK (name ~ '^[a-zA-Z][a-zA-Z0-9_.]{0,62}$');

-- The snapshot of a plain survey, as the server stores it at the start of a run. A test of the server compares the two.
CREATE FUNCTION pg_temp.snapshot(wanted bigint) RETURNS jsonb RETURN (
    SELECT jsonb_build_object('title', title, 'description', description, 'questions', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('id', questions.id, 'surveyId', survey_id, 'order', position,
            'text', text, 'name', name, 'questionType', question_type, 'required', required,
            'options', (SELECT coalesce(jsonb_agg(jsonb_build_object('text', option) ORDER BY place), '[]')
                FROM unnest(options) WITH ORDINALITY AS options (option, place)),
            'scale_labels', scale_labels, 'subQuestions', sub_questions, 'minValue', min_value, 'maxValue', max_value,
            'minDescription', min_description, 'maxDescription', max_description, 'placeholder', placeholder)
            ORDER BY position), '[]')
        FROM questions WHERE survey_id = wanted))
    FROM surveys WHERE id = wanted);

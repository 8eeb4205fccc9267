-- A set bears the name of a data set only where it is that set; every other file is "own file NAME". Before, any file with
-- the columns pid and persona_summary was called Twin-2K-500. What is stored tells which were: the summaries of Twin-2K-500
-- have fourteen demographics each, and of wave_split's columns the questions of wave 4 are kept.
WITH named AS (
    SELECT sets.id, parts.texts, parts.summaries,
        -- Twins that were added or changed by hand may lack some.
        coalesce((
            SELECT avg((personas.attributes ?& ARRAY[
                'Geographic region', 'Gender', 'Age', 'Education level', 'Race', 'Citizen of the US', 'Marital status',
                'Religion', 'Religious attendance', 'Political affiliation', 'Income', 'Political views',
                'Household size', 'Employment status'
            ])::integer)
            FROM personas WHERE personas.set_id = sets.id
        ), 0) >= 0.9 AS have_demographics,
        EXISTS (SELECT FROM held_out_questions WHERE held_out_questions.set_id = sets.id) AS have_held_out
    FROM persona_sets AS sets,
        LATERAL (SELECT
            split_part(sets.source, ', with the summaries of ', 1) AS texts,
            nullif(split_part(sets.source, ', with the summaries of ', 2), '') AS summaries) AS parts
    WHERE NOT sets.synthetic AND sets.source NOT IN ('Added by hand', 'Added by hand, edited')
),
judged AS (
    SELECT named.*,
        CASE
            WHEN texts LIKE 'Twin-2K-500 wave\_split (%' THEN have_held_out
            WHEN texts LIKE 'Twin-2K-500 full\_persona (%' THEN have_demographics
            ELSE false
        END
        AND (summaries IS NULL OR (summaries LIKE 'Twin-2K-500 full\_persona (%' AND have_demographics)) AS is_dataset
    FROM named
)
UPDATE persona_sets SET source =
    'own file ' || regexp_replace(judged.texts, '^Twin-2K-500 \w+ \((.*)\)(, edited)?$', '\1\2')
    || coalesce(
        ', with the summaries of own file '
        || regexp_replace(judged.summaries, '^Twin-2K-500 \w+ \((.*)\)(, edited)?$', '\1\2'), '')
FROM judged
WHERE judged.id = persona_sets.id AND NOT judged.is_dataset;

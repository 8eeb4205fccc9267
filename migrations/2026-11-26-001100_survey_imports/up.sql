-- What an import of another program's survey kept, changed, lost and dropped.
CREATE TABLE survey_imports (
    survey_id bigint PRIMARY KEY REFERENCES surveys (id) ON DELETE CASCADE,
    report jsonb NOT NULL CHECK (jsonb_typeof(report) = 'object'),
    imported_at timestamptz NOT NULL DEFAULT now()
);

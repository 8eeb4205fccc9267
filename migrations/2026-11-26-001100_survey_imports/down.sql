DROP TABLE survey_imports;

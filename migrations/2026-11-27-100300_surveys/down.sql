DROP TABLE survey_imports, questions, surveys;

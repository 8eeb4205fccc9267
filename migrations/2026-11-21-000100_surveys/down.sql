DROP TABLE questions, surveys;

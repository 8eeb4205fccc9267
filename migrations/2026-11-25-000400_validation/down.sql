DROP TABLE validations, profile_questions, held_out_answers, held_out_questions;

DROP TABLE human_samples, validations, profile_answers, profile_items, profile_questions, held_out_answers,
    held_out_questions;

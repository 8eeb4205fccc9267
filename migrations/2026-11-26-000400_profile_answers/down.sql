DROP TABLE profile_answers, profile_items;

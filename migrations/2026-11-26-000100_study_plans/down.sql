DROP TABLE plan_links, deviations, frozen_plans, study_plans;
DROP FUNCTION refuse_change_of_deviation(), refuse_change_of_frozen_draft(), refuse_change_of_frozen_plan(), erasing();

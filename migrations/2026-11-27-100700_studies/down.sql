DROP TABLE plan_links, deviations, frozen_plans, study_plans, study_runs, studies;
DROP FUNCTION refuse_change_of_deviation;
DROP FUNCTION refuse_change_of_frozen_draft;
DROP FUNCTION refuse_change_of_frozen_plan;
DROP FUNCTION erasing;

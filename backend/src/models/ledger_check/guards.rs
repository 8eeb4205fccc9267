//! Checks that the constraints, indexes and triggers that guard the ledger exist.

use super::checks::Check;

pub(super) const GUARDS: Check = Check {
    name: "the keys, constraints and triggers that guard the ledger and the answers are there and switched on",
    breaches: "
        SELECT format('%s: %s is missing or not valid', guard.holder, guard.name)
        FROM (VALUES
            ('group_members', 'group_members_pkey'),
            ('group_members', 'group_members_budget_not_negative'),
            ('group_members', 'group_members_held_within_budget'),
            ('transactions', 'transactions_pkey'),
            ('transactions', 'transactions_member'),
            ('transactions', 'transactions_effect'),
            ('transactions', 'transactions_mines_of_a_run'),
            ('transactions', 'transactions_one_per_attempt'),
            ('transactions', 'transactions_reversed_once'),
            ('transactions', 'transactions_counted'),
            ('transactions', 'transactions_guard'),
            ('transactions', 'transactions_keep'),
            ('transactions', 'transactions_keep_all'),
            ('simulations', 'simulations_pkey'),
            ('simulations', 'simulations_member'),
            ('simulations', 'simulations_total'),
            ('simulations', 'simulations_counted'),
            ('simulations', 'simulations_completed'),
            ('simulations', 'simulations_failed'),
            ('simulations', 'simulations_ended'),
            ('simulations', 'simulations_one_active'),
            ('simulation_personas', 'simulation_personas_pkey'),
            ('simulation_personas', 'simulation_personas_twin'),
            ('simulation_questions', 'simulation_questions_pkey'),
            ('personas', 'personas_pkey'),
            ('personas', 'personas_text'),
            ('assignments', 'assignments_pkey'),
            ('responses', 'responses_pkey'),
            ('responses', 'responses_persona'),
            ('responses', 'responses_question'),
            ('request_failures', 'request_failures_pkey'),
            ('not_shown', 'not_shown_pkey'),
            ('study_runs', 'study_runs_pkey'),
            ('call_replies', 'call_replies_pkey'),
            ('frozen_plans', 'frozen_plans_hash'),
            ('frozen_plans', 'frozen_plans_stay'),
            ('audit_log', 'audit_log_keep')
        ) AS guard (holder, name)
        WHERE NOT EXISTS (SELECT FROM pg_constraint
                WHERE conrelid = to_regclass(guard.holder) AND conname = guard.name AND convalidated)
            AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass(guard.holder) AND tgname = guard.name)
            AND NOT EXISTS (SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
                WHERE indrelid = to_regclass(guard.holder) AND relname = guard.name AND indisvalid)
        UNION ALL
        SELECT format('%s: trigger %s is switched off', tgrelid::regclass, tgname)
        FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE tgenabled NOT IN ('O', 'A') AND relnamespace = 'public'::regnamespace",
};

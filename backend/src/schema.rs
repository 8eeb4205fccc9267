//! The database, as the migrations leave it.

// @generated automatically by Diesel CLI.

diesel::table! {
    access_requests (id) {
        id -> Int8,
        email -> Text,
        institute_name -> Text,
        purpose_of_use -> Text,
        description -> Text,
        status -> Text,
        reason -> Nullable<Text>,
        decided_by -> Nullable<Int8>,
        decided_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    access_tokens (id) {
        id -> Int8,
        user_id -> Int8,
        name -> Text,
        prefix -> Text,
        token_hash -> Bytea,
        scopes -> Array<Text>,
        expires_at -> Nullable<Timestamptz>,
        last_used_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    assignments (simulation_id, persona_id) {
        simulation_id -> Int8,
        persona_id -> Int4,
        place -> Int4,
        requests -> Int4,
        fields -> Jsonb,
    }
}

diesel::table! {
    audit_log (id) {
        id -> Int8,
        actor_id -> Nullable<Int8>,
        action -> Text,
        subject -> Text,
        detail -> Jsonb,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    batch_calls (simulation_id, persona_id) {
        simulation_id -> Int8,
        persona_id -> Int4,
        prompt_hash -> Bytea,
        body_rest -> Text,
        bytes -> Int4,
        state -> Jsonb,
        number -> Nullable<Int4>,
        reply -> Nullable<Text>,
        reply_tokens -> Int4,
    }
}

diesel::table! {
    call_replies (simulation_id, persona_id, received_at, call_id) {
        simulation_id -> Int8,
        persona_id -> Int4,
        received_at -> Timestamptz,
        call_id -> Uuid,
        prompt_hash -> Bytea,
        reply -> Bytea,
        reply_hash -> Nullable<Bytea>,
    }
}

diesel::table! {
    cost_caps (simulation_id) {
        simulation_id -> Int8,
        max_cost -> Int8,
    }
}

diesel::table! {
    ended_sessions (id) {
        id -> Uuid,
        expires_at -> Timestamptz,
    }
}

diesel::table! {
    group_members (group_id, user_id) {
        group_id -> Int8,
        user_id -> Int8,
        budget -> Int8,
        held -> Int8,
        status -> Text,
        removed_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        id -> Int8,
        entries -> Int8,
        accepted_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    group_model_keys (group_id, server) {
        group_id -> Int8,
        server -> Text,
        sealed -> Bytea,
        last_four -> Text,
        set_by -> Int8,
        set_at -> Timestamptz,
    }
}

diesel::table! {
    groups (id) {
        id -> Int8,
        group_name -> Text,
        owner_id -> Int8,
        status -> Text,
        default_budget_per_user -> Int8,
        deleted_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        allow_full_personas -> Bool,
        allow_single_question_calls -> Bool,
        credit_ceiling -> Nullable<Int8>,
    }
}

diesel::table! {
    held_out_answers (set_id, persona_id) {
        set_id -> Int4,
        persona_id -> Int4,
        asked -> Array<Text>,
        answers -> Jsonb,
    }
}

diesel::table! {
    held_out_questions (set_id, position) {
        set_id -> Int4,
        position -> Int4,
        qid -> Text,
        question -> Jsonb,
    }
}

diesel::table! {
    idempotency_keys (user_id, key) {
        user_id -> Int8,
        key -> Text,
        request_hash -> Bytea,
        status_code -> Nullable<Int2>,
        answer -> Nullable<Jsonb>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    login_codes (id) {
        user_id -> Int8,
        code_hash -> Bytea,
        expires_at -> Timestamptz,
        created_at -> Timestamptz,
        id -> Int8,
    }
}

diesel::table! {
    login_requests (email) {
        email -> Text,
        address -> Text,
        created_at -> Timestamptz,
        known -> Bool,
    }
}

diesel::table! {
    login_tries (id) {
        id -> Int8,
        email -> Text,
        address -> Text,
        created_at -> Timestamptz,
        failed -> Bool,
    }
}

diesel::table! {
    mails (id) {
        id -> Int8,
        kind -> Text,
        recipient -> Text,
        user_id -> Nullable<Int8>,
        facts -> Jsonb,
        occasion -> Nullable<Text>,
        attempts -> Int4,
        due_at -> Timestamptz,
        sent_at -> Nullable<Timestamptz>,
        given_up_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    model_check_runs (server) {
        server -> Text,
        started_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
        failure -> Nullable<Text>,
    }
}

diesel::table! {
    model_checks (server, model) {
        server -> Text,
        model -> Text,
        checked_at -> Timestamptz,
        outcome -> Jsonb,
        known -> Jsonb,
    }
}

diesel::table! {
    model_refusals (server, model, parameter, value) {
        server -> Text,
        model -> Text,
        parameter -> Text,
        value -> Text,
        refused_at -> Timestamptz,
    }
}

diesel::table! {
    model_server_minutes (server, minute) {
        server -> Text,
        minute -> Timestamptz,
        calls -> Int8,
        tokens -> Int8,
    }
}

diesel::table! {
    model_servers (name) {
        blocked_until -> Nullable<Timestamptz>,
        reason -> Nullable<Text>,
        requests_per_minute -> Nullable<Int8>,
        tokens_per_minute -> Nullable<Int8>,
        name -> Text,
    }
}

diesel::table! {
    not_shown (simulation_id, persona_id, question_id) {
        simulation_id -> Int8,
        persona_id -> Int4,
        question_id -> Int8,
        reason -> Text,
    }
}

diesel::table! {
    persona_sets (id) {
        id -> Int4,
        source -> Text,
        synthetic -> Bool,
        is_current -> Bool,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    personas (set_id, id) {
        set_id -> Int4,
        id -> Int4,
        pid -> Text,
        name -> Text,
        description -> Text,
        attributes -> Jsonb,
        summary -> Nullable<Text>,
        full_text -> Nullable<Text>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        searched -> Text,
        text_hash -> Nullable<Bytea>,
    }
}

diesel::table! {
    profile_answers (set_id, persona_id) {
        set_id -> Int4,
        persona_id -> Int4,
        answers -> Jsonb,
    }
}

diesel::table! {
    profile_items (set_id, position) {
        set_id -> Int4,
        position -> Int4,
        question -> Jsonb,
    }
}

diesel::table! {
    profile_questions (set_id, position) {
        set_id -> Int4,
        position -> Int4,
        text -> Text,
    }
}

diesel::table! {
    prompts (simulation_id, prompt_hash) {
        simulation_id -> Int8,
        prompt_hash -> Bytea,
        recipe -> Jsonb,
    }
}

diesel::table! {
    questions (id) {
        id -> Int8,
        survey_id -> Int8,
        position -> Int4,
        text -> Text,
        question_type -> Text,
        required -> Bool,
        options -> Array<Text>,
        scale_labels -> Array<Text>,
        sub_questions -> Array<Text>,
        min_value -> Nullable<Float8>,
        max_value -> Nullable<Float8>,
        min_description -> Nullable<Text>,
        max_description -> Nullable<Text>,
        placeholder -> Nullable<Text>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        name -> Text,
        total -> Nullable<Float8>,
        logic -> Jsonb,
    }
}

diesel::table! {
    request_failures (simulation_id, persona_id, question_id) {
        simulation_id -> Int8,
        persona_id -> Int4,
        question_id -> Int8,
        code -> Text,
        message -> Text,
        detail -> Nullable<Text>,
        attempts -> Int2,
        retrying -> Bool,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    responses (simulation_id, persona_id, question_id) {
        id -> Int8,
        simulation_id -> Int8,
        persona_id -> Int4,
        question_id -> Int8,
        answer -> Text,
        answer_value -> Jsonb,
        option_order -> Nullable<Array<Int2>>,
        attempt -> Int2,
        model -> Text,
        fingerprint -> Nullable<Text>,
        prompt_hash -> Bytea,
        latency_ms -> Nullable<Int4>,
        prompt_tokens -> Int4,
        cached_tokens -> Int4,
        completion_tokens -> Int4,
        created_at -> Timestamptz,
        reasoning_tokens -> Int4,
        cache_write_tokens -> Int4,
        distribution -> Nullable<Jsonb>,
    }
}

diesel::table! {
    simulation_batches (simulation_id, number) {
        simulation_id -> Int8,
        number -> Int4,
        token -> Uuid,
        calls -> Int4,
        input_file_id -> Nullable<Text>,
        batch_id -> Nullable<Text>,
        server_status -> Nullable<Text>,
        calls_done -> Int4,
        trouble -> Nullable<Text>,
        created_at -> Timestamptz,
        submitted_at -> Nullable<Timestamptz>,
        cancelled_at -> Nullable<Timestamptz>,
        ended_at -> Nullable<Timestamptz>,
        limit_reached -> Bool,
    }
}

diesel::table! {
    simulation_designs (simulation_id) {
        simulation_id -> Int8,
        skipped -> Int4,
    }
}

diesel::table! {
    simulation_personas (simulation_id, persona_id) {
        simulation_id -> Int8,
        persona_id -> Int4,
        persona_set_id -> Int4,
    }
}

diesel::table! {
    simulation_questions (simulation_id, question_id) {
        simulation_id -> Int8,
        question_id -> Int8,
        position -> Int4,
    }
}

diesel::table! {
    human_samples (id) {
        id -> Int8,
        sample_id -> Uuid,
        survey_id -> Int8,
        created_by -> Int8,
        name -> Text,
        people -> Int4,
        matched -> Array<Text>,
        dropped -> Jsonb,
        settings -> Jsonb,
        content -> Bytea,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    session_secret (is_only) {
        is_only -> Bool,
        generated -> Nullable<Text>,
        fingerprint -> Nullable<Bytea>,
    }
}

diesel::table! {
    share_links (id) {
        id -> Int8,
        simulation_id -> Int8,
        created_by -> Int8,
        prefix -> Text,
        token_hash -> Bytea,
        expires_at -> Timestamptz,
        views -> Int8,
        last_viewed_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    simulate_commands (simulation_id) {
        simulation_id -> Int8,
        lock_number -> Int8,
    }
}

diesel::table! {
    simulation_names (simulation_id) {
        simulation_id -> Int8,
        name -> Nullable<Text>,
        note -> Nullable<Text>,
    }
}

diesel::table! {
    simulations (id) {
        id -> Int8,
        simulation_id -> Uuid,
        survey_id -> Int8,
        user_id -> Int8,
        group_id -> Int8,
        persona_set_id -> Int4,
        status -> Text,
        attempt -> Int4,
        persona_count -> Int4,
        question_count -> Int4,
        total_requests -> Int4,
        successful_requests -> Int4,
        failed_requests -> Int4,
        open_requests -> Int4,
        held -> Int8,
        parameters -> Jsonb,
        survey_snapshot -> Jsonb,
        survey_hash -> Text,
        demo_model -> Bool,
        program_version -> Text,
        error_code -> Nullable<Text>,
        error_message -> Nullable<Text>,
        calls -> Int8,
        prompt_tokens -> Int8,
        cached_tokens -> Int8,
        completion_tokens -> Int8,
        created_at -> Timestamptz,
        started_at -> Nullable<Timestamptz>,
        completed_at -> Nullable<Timestamptz>,
        updated_at -> Timestamptz,
        left_out -> Array<Text>,
        retries_failed -> Bool,
        reasoning_tokens -> Int8,
        cache_write_tokens -> Int8,
        model_server -> Nullable<Text>,
    }
}

diesel::table! {
    study_runs (simulation_id) {
        simulation_id -> Int8,
        study_id -> Int8,
    }
}

diesel::table! {
    studies (id) {
        id -> Int8,
        study_id -> Uuid,
        name -> Nullable<Text>,
        note -> Nullable<Text>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    survey_imports (survey_id) {
        survey_id -> Int8,
        report -> Jsonb,
        imported_at -> Timestamptz,
    }
}

diesel::table! {
    surveys (id) {
        id -> Int8,
        user_id -> Int8,
        group_id -> Int8,
        title -> Text,
        description -> Text,
        visibility -> Text,
        is_locked -> Bool,
        deleted_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        design -> Jsonb,
    }
}

diesel::table! {
    transactions (id) {
        id -> Int8,
        group_id -> Int8,
        user_id -> Int8,
        #[sql_name = "type"]
        type_ -> Text,
        amount -> Int8,
        effect -> Int8,
        description -> Text,
        simulation_id -> Nullable<Int8>,
        attempt -> Nullable<Int4>,
        created_by -> Nullable<Int8>,
        reverses -> Nullable<Int8>,
        reversed_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        searched -> Text,
    }
}

diesel::table! {
    user_photos (user_id) {
        user_id -> Int8,
        media_type -> Text,
        bytes -> Bytea,
        updated_at -> Timestamptz,
        name -> Uuid,
    }
}

diesel::table! {
    user_settings (user_id) {
        user_id -> Int8,
        email_notifications -> Bool,
        simulation_complete -> Bool,
        low_budget -> Bool,
        new_features -> Bool,
        default_digital_twins -> Int4,
        auto_save -> Bool,
        export_format -> Text,
        theme -> Text,
    }
}

diesel::table! {
    users (id) {
        id -> Int8,
        email -> Text,
        name -> Nullable<Text>,
        role -> Text,
        is_verified -> Bool,
        token_version -> Int4,
        suspended_at -> Nullable<Timestamptz>,
        deleted_at -> Nullable<Timestamptz>,
        erased_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        credit_ceiling -> Nullable<Int8>,
    }
}

diesel::table! {
    study_plans (id) {
        id -> Int8,
        plan_id -> Uuid,
        survey_id -> Int8,
        study_id -> Nullable<Int8>,
        created_by -> Int8,
        document -> Jsonb,
        blind -> Bool,
        looked_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    frozen_plans (plan_id) {
        plan_id -> Int8,
        frozen_by -> Int8,
        frozen_at -> Timestamptz,
        canonical -> Text,
        sha256 -> Text,
    }
}

diesel::table! {
    deviations (id) {
        id -> Int8,
        plan_id -> Int8,
        at -> Timestamptz,
        who -> Nullable<Int8>,
        field -> Text,
        before -> Nullable<Text>,
        after -> Nullable<Text>,
        reason -> Nullable<Text>,
        reason_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    plan_links (plan_id) {
        plan_id -> Int8,
        created_by -> Int8,
        token -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    validations (study_id) {
        study_id -> Int8,
        persona_set_id -> Int4,
        quick -> Bool,
        headline -> Text,
        figures -> Nullable<Jsonb>,
    }
}

diesel::table! {
    worker_shares (worker_id, server) {
        worker_id -> Uuid,
        server -> Text,
        busy -> Bool,
        share -> Int4,
        waiting -> Int4,
        in_flight -> Int4,
    }
}

diesel::table! {
    workers (id) {
        id -> Uuid,
        name -> Text,
        busy -> Bool,
        in_flight -> Jsonb,
        lease_until -> Timestamptz,
        started_at -> Timestamptz,
        process -> Uuid,
    }
}

diesel::joinable!(access_tokens -> users (user_id));
diesel::joinable!(user_photos -> users (user_id));
diesel::joinable!(user_settings -> users (user_id));
diesel::joinable!(login_codes -> users (user_id));
diesel::joinable!(mails -> users (user_id));
diesel::joinable!(groups -> users (owner_id));
diesel::joinable!(group_model_keys -> users (set_by));
diesel::joinable!(surveys -> groups (group_id));
diesel::joinable!(questions -> surveys (survey_id));
diesel::joinable!(survey_imports -> surveys (survey_id));
diesel::joinable!(personas -> persona_sets (set_id));
diesel::joinable!(simulations -> surveys (survey_id));
diesel::joinable!(simulations -> persona_sets (persona_set_id));
diesel::joinable!(cost_caps -> simulations (simulation_id));
diesel::joinable!(batch_calls -> simulations (simulation_id));
diesel::joinable!(call_replies -> simulations (simulation_id));
diesel::joinable!(simulation_batches -> simulations (simulation_id));
diesel::joinable!(share_links -> simulations (simulation_id));
diesel::joinable!(simulate_commands -> simulations (simulation_id));
diesel::joinable!(simulation_names -> simulations (simulation_id));
diesel::joinable!(simulation_personas -> simulations (simulation_id));
diesel::joinable!(simulation_questions -> simulations (simulation_id));
diesel::joinable!(prompts -> simulations (simulation_id));
diesel::joinable!(study_runs -> simulations (simulation_id));
diesel::joinable!(study_runs -> studies (study_id));
diesel::joinable!(validations -> studies (study_id));
diesel::joinable!(validations -> persona_sets (persona_set_id));
diesel::joinable!(human_samples -> surveys (survey_id));
diesel::joinable!(human_samples -> users (created_by));
diesel::joinable!(study_plans -> surveys (survey_id));
diesel::joinable!(frozen_plans -> study_plans (plan_id));
diesel::joinable!(deviations -> study_plans (plan_id));
diesel::joinable!(plan_links -> frozen_plans (plan_id));
diesel::joinable!(transactions -> simulations (simulation_id));

diesel::allow_tables_to_appear_in_same_query!(
    access_requests,
    access_tokens,
    assignments,
    audit_log,
    batch_calls,
    call_replies,
    cost_caps,
    deviations,
    ended_sessions,
    frozen_plans,
    group_members,
    group_model_keys,
    groups,
    held_out_answers,
    held_out_questions,
    human_samples,
    idempotency_keys,
    login_codes,
    login_requests,
    login_tries,
    mails,
    model_check_runs,
    model_checks,
    model_refusals,
    model_server_minutes,
    model_servers,
    not_shown,
    persona_sets,
    personas,
    plan_links,
    profile_answers,
    profile_items,
    profile_questions,
    prompts,
    questions,
    request_failures,
    responses,
    share_links,
    simulate_commands,
    simulation_batches,
    simulation_designs,
    simulation_names,
    simulation_personas,
    simulation_questions,
    simulations,
    studies,
    study_plans,
    study_runs,
    survey_imports,
    surveys,
    transactions,
    user_photos,
    user_settings,
    users,
    validations,
    worker_shares,
    workers,
);

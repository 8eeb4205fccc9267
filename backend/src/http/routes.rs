//! The table of routes: a scope a resource, and in it a line a path with its methods and handlers.

use actix_web::{HttpResponse, Scope, web};

use super::download::FileCall;
use super::error::{ApiError, Result};
use super::{
    access_requests, answers, auth, groups, human_samples, model_servers, personas, planner, plans, shared,
    simulations, studies, surveys, transactions, validation,
};

/// The routes that share the first part of their path.
pub struct Routes {
    pub scope: fn() -> Scope,
    pub lines: &'static [Line],
}

/// A path below `/api`, and its calls in the OpenAPI document as their handlers describe them.
pub struct Line {
    pub path: &'static str,
    pub document: fn() -> utoipa::openapi::OpenApi,
    /// The files that take the place of `{file}` at the end of the path, if it has one.
    pub files: &'static [&'static [FileCall]],
}

/// A line is a path, its methods with their handlers, and `for` the files of a path that ends in `{file}`. Handlers leave the path
/// empty in their `#[utoipa::path]`: it is the line's. Fixed paths come before patterns that would match them.
macro_rules! scope {
    ($prefix:literal {
        $($path:literal => $($method:ident $($handler:ident)::+),+ $(for $files:path)?;)+
    }) => {
        Routes {
            scope: || {
                web::scope($prefix)
                    $(.service(
                        web::resource($path)
                            $(.$method($($handler)::+))+
                            .default_service(web::to(|| wrong_method(&[$(stringify!($method)),+]))),
                    ))+
                    .default_service(web::to(unknown_call))
            },
            lines: &[$(Line {
                path: concat!($prefix, $path),
                document: || {
                    #[derive(utoipa::OpenApi)]
                    #[openapi(paths($($($handler)::+),+))]
                    struct Document;
                    <Document as utoipa::OpenApi>::openapi()
                },
                files: &[$($files)?],
            }),+],
        }
    };
}

pub const ROUTES: &[Routes] = &[
    scope!("/auth" {
        "/request-login" => post auth::sign_in::request_login;
        "/verify-login" => post auth::sign_in::verify_login;
        "/logout" => post auth::sign_out::logout;
        "/logout-everywhere" => post auth::sign_out::logout_everywhere;
        "/tokens" => get auth::tokens::list, post auth::tokens::create;
        "/tokens/{tokenId}" => delete auth::tokens::remove;
        "/request-group" => post auth::sign_in::request_group;
        "/profile" => get auth::profile::show, put auth::profile::update;
        "/photo" => post auth::photo::upload;
        "/photo/{photo}" => get auth::photo::show;
        "/settings" => get auth::settings::show, put auth::settings::update;
        "/data" => get auth::account::download;
        "/account" => delete auth::account::remove;
    }),
    scope!("/admin" {
        "/model-servers" => get model_servers::list_model_servers;
        "/model-servers/{name}/check" => post model_servers::check::check_model_server;
    }),
    scope!("/access-requests" {
        "" => get access_requests::list;
        "/{accessRequestId}/approve" => post access_requests::approve;
        "/{accessRequestId}/reject" => post access_requests::reject;
    }),
    scope!("/surveys" {
        "" => post surveys::list::create_survey;
        "/my" => get surveys::list::my_surveys;
        "/import" => post surveys::files::import_survey;
        "/import/qsf" => post surveys::import::import_qsf;
        "/questions/{questionId}" =>
            patch surveys::questions::change_question, delete surveys::questions::delete_question;
        "/{surveyId}" =>
            get surveys::survey::show_survey, patch surveys::survey::change_survey,
            delete surveys::survey::delete_survey;
        "/{surveyId}/toggle-lock" => patch surveys::survey::toggle_lock;
        "/{surveyId}/toggle-visibility" => patch surveys::survey::toggle_visibility;
        "/{surveyId}/export" => get surveys::files::export_survey;
        "/{surveyId}/import-report" => get surveys::import::show_import_report;
        "/{surveyId}/design" => get surveys::design::show_design, put surveys::design::replace_design;
        "/{surveyId}/design/check" => post surveys::design::check_design;
        "/{surveyId}/ask" => post surveys::trial::ask_persona;
        "/{surveyId}/rename" => post surveys::renaming::rename_in_survey;
        "/{surveyId}/preview" => get surveys::preview::preview_survey;
        "/{surveyId}/duplicate" => post surveys::files::duplicate_survey;
        "/{surveyId}/questions" => get surveys::questions::list_questions, post surveys::questions::add_question;
        "/{surveyId}/questions/bulk" => post surveys::questions::add_questions;
        "/{surveyId}/questions/order" => patch surveys::questions::reorder_questions;
        "/{surveyId}/leaks" => get validation::overlaps::list;
        "/{surveyId}/plans" => get plans::drafts::list_plans, post plans::drafts::draft_plan;
        "/{surveyId}/human-samples" =>
            get human_samples::changes::list, post human_samples::upload::add;
        "/{surveyId}/studies" => get studies::list_studies, post studies::start::start_study;
        "/{surveyId}/simulation-history" => get surveys::runs::simulation_history;
        "/{surveyId}/simulation-status" => get surveys::runs::simulation_status;
        "/{surveyId}/simulation-config" => get surveys::runs::simulation_config;
        "/{surveyId}/simulation/{simulationId}/responses/export" => get answers::export::export;
        "/{surveyId}/simulation/{simulationId}/responses/formatted" => get answers::lists::formatted;
        "/{surveyId}/simulation/{simulationId}/responses/debug" => get answers::lists::debug;
        "/{surveyId}/simulation/{simulationId}/responses/matrix" => get answers::lists::matrix;
        "/{surveyId}/simulation/{simulationId}/responses/counts" => get answers::lists::counts;
        "/{surveyId}/simulation/{simulationId}/responses/{file}" =>
            get answers::files::download for answers::files::FILES;
        "/{surveyId}/simulation/{simulationId}/summary" => get answers::summary::summary;
        "/{surveyId}/simulation/{simulationId}/comparison" => get answers::comparison::compare_simulations;
        "/{surveyId}/simulation/{simulationId}/diagnostics" => get answers::diagnostics::diagnostics;
        "/{surveyId}/simulation/{simulationId}/people" =>
            get answers::people::stored::compare_with_sample, post answers::people::compare;
        "/{surveyId}/simulation/{simulationId}/own-answers" => get answers::own_answers::list;
        "/{surveyId}/simulation/{simulationId}/texts" => get answers::texts::texts;
    }),
    scope!("/simulations" {
        "" => get simulations::list::list_simulations;
        "/personas/available" => get simulations::list::available_personas;
        "/check-all-statuses" => post simulations::progress::check_all_statuses;
        "/queue/status" => get simulations::queue::queue_status;
        "/queue/trigger" => post simulations::queue::trigger;
        "/execute/{simulationId}" => post simulations::control::execute;
        "/retry-failed/{simulationId}" => post simulations::passes::retry_failed;
        "/survey/{surveyId}/start" => post simulations::start::start_simulation;
        "/survey/{surveyId}/progress" => get simulations::of_survey::latest_progress;
        "/survey/{surveyId}/live-progress" => get simulations::of_survey::latest_live_progress;
        "/survey/{surveyId}/refresh-status" => get simulations::of_survey::latest_refresh_status;
        "/survey/{surveyId}/update-progress" => post simulations::of_survey::latest_update_progress;
        "/survey/{surveyId}/reset-counters" => post simulations::of_survey::latest_reset_counters;
        "/survey/{surveyId}/pause" => post simulations::of_survey::latest_pause;
        "/survey/{surveyId}/resume" => post simulations::of_survey::latest_resume;
        "/survey/{surveyId}/stop" => post simulations::of_survey::latest_stop;
        "/{simulationId}" =>
            get simulations::show::show_simulation, patch simulations::names::name_simulation;
        "/{simulationId}/share" => post simulations::shares::share;
        "/{simulationId}/shares" => get simulations::shares::list;
        "/{simulationId}/shares/{shareId}" => delete simulations::shares::revoke;
        "/{simulationId}/assignments" => get simulations::assignments::list_assignments;
        "/{simulationId}/personas" => get simulations::personas::asked_personas;
        "/{simulationId}/trust" => get validation::trust::show;
        "/{simulationId}/prompt" => get simulations::prompt::show_prompt;
        "/{simulationId}/progress" => get simulations::progress::progress;
        "/{simulationId}/live-progress" => get simulations::progress::live_progress;
        "/{simulationId}/refresh-status" => get simulations::progress::refresh_status;
        "/{simulationId}/update-progress" => post simulations::progress::update_progress;
        "/{simulationId}/failures" => get simulations::progress::failures;
        "/{simulationId}/events" => get simulations::events::events;
        "/{simulationId}/pause" => post simulations::control::pause;
        "/{simulationId}/resume" => post simulations::control::resume;
        "/{simulationId}/stop" => post simulations::control::stop;
        "/{simulationId}/continue" => post simulations::passes::continue_simulation;
        "/{simulationId}/reset-counters" => post simulations::control::reset_counters;
    }),
    scope!("/plan" {
        "" => post planner::plan;
    }),
    scope!("/plans" {
        "/{planId}" =>
            get plans::drafts::show_plan, put plans::drafts::save_plan, delete plans::drafts::delete_plan;
        "/{planId}/freeze" => post plans::freeze::freeze_plan;
        "/{planId}/look" => post plans::freeze::look_anyway;
        "/{planId}/publication" =>
            post plans::publication::publish_plan, delete plans::publication::withdraw_plan;
        "/{planId}/plan.md" => get plans::files::plan_markdown;
        "/{planId}/plan.json" => get plans::files::plan_json;
        "/{planId}/deviations/{deviationId}" => patch plans::deviations::give_reason_of_deviation;
    }),
    scope!("/studies" {
        "/{studyId}" => get studies::show_study, patch studies::names::name_study;
        "/{studyId}/comparison" => get studies::comparison::compare_runs;
        "/{studyId}/people" =>
            get studies::people::compare_with_sample_of_survey, post studies::people::compare_with_people;
        "/{studyId}/comparison.csv" => get studies::comparison::csv::compare_runs_as_csv;
        "/{studyId}/plan" => get plans::freeze::show_plan_of_study;
        "/{studyId}/freeze" => post plans::freeze::freeze_study;
        "/{studyId}/bundle" => get studies::bundle::bundle_study;
        "/{studyId}/pause" => post studies::pause_study;
        "/{studyId}/resume" => post studies::resume_study;
        "/{studyId}/stop" => post studies::stop_study;
        "/{studyId}/continue" => post studies::passes::continue_study;
        "/{studyId}/retry-failed" => post studies::passes::retry_failed_of_study;
        "/{studyId}/validation" => get validation::figures::show;
        "/{studyId}/calibration" => get validation::calibration::show;
    }),
    scope!("/human-samples" {
        "/{sampleId}" =>
            get human_samples::changes::show, patch human_samples::changes::change,
            delete human_samples::changes::remove;
    }),
    scope!("/shared" {
        "/{token}" => get shared::show;
        "/{token}/summary" => get shared::summary;
        "/{token}/texts" => get shared::texts;
    }),
    scope!("/shared-plans" {
        "/{token}" => get plans::shared::show;
        "/{token}/plan.md" => get plans::shared::markdown;
        "/{token}/plan.json" => get plans::shared::json;
    }),
    scope!("/groups" {
        "" => get groups::list, post groups::create;
        "/my" => get groups::mine;
        "/transactions/all" => get groups::money::all;
        "/{groupId}" => get groups::show, patch groups::update, delete groups::remove;
        "/{groupId}/members" => get groups::members::list, post groups::members::add;
        "/{groupId}/members/bulk" => post groups::class_lists::add_members;
        "/{groupId}/members/budgets" => patch groups::budgets::set_several;
        "/{groupId}/members/{userId}" => delete groups::members::remove;
        "/{groupId}/members/{userId}/budget" => patch groups::budgets::set_one;
        "/{groupId}/members/{userId}/status" => patch groups::members::set_status;
        "/{groupId}/model-keys" => get groups::model_keys::list;
        "/{groupId}/model-keys/{server}" => put groups::model_keys::put, delete groups::model_keys::remove;
        "/{groupId}/transactions" => get groups::money::ledger;
        "/{groupId}/usage" => get groups::money::member_usage;
    }),
    scope!("/transactions" {
        "" => get transactions::lists::list, post transactions::grants::book;
        "/all" => get transactions::lists::all;
        "/all/stats" => get transactions::sums::all_stats;
        "/all/export.csv" => get transactions::export::all;
        "/user-groups" => get transactions::lists::of_own_groups;
        "/user-groups/stats" => get transactions::sums::own_groups_stats;
        "/user-groups/export.csv" => get transactions::export::of_own_groups;
        "/bulk" => post transactions::grants::book_several;
        "/group/{groupId}" => get transactions::lists::of_group;
        "/group/{groupId}/stats" => get transactions::sums::group_stats;
        "/group/{groupId}/count" => get transactions::sums::group_count;
        "/user/{userId}" => get transactions::lists::of_user;
        "/user/{userId}/stats" => get transactions::sums::user_stats;
        "/user/{userId}/count" => get transactions::sums::user_count;
        "/simulation/{simulationId}" => get transactions::lists::of_simulation;
        "/{transactionId}" => get transactions::show, delete transactions::grants::reverse;
    }),
    scope!("/personas" {
        "" => get personas::lists::list, post personas::edits::add, delete personas::edits::remove_all;
        "/search" => get personas::lists::search;
        "/count" => get personas::lists::count;
        "/attributes" => get personas::lists::attributes;
        "/quotas" => get personas::quotas::propose;
        "/random/{n}" => get personas::lists::random;
        "/import/csv" => post personas::import::import;
        "/validation" => get validation::offer::show;
        "/sets/{setId}/validation" => post validation::start::start;
        "/{personaId}" => get personas::lists::show, patch personas::edits::change, delete personas::edits::remove;
    }),
];

pub async fn unknown_call() -> Result<HttpResponse> {
    Err(ApiError::not_found("Call"))
}

async fn wrong_method(methods: &[&str]) -> Result<HttpResponse> {
    Err(ApiError::WrongMethod(methods.join(", ").to_uppercase()))
}

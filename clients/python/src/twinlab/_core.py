"""Every operation of the API, a function each. scripts/python-core writes this from backend/openapi.json: do not edit.

Lists are read to their end, page by page. Files are returned as responses that are not read yet.
"""

from typing import Any
from urllib.parse import quote

from requests import Response

from .connection import Connection


def list_(connection: Connection, *, status: str | None = None) -> list[Any]:
    """The requests, newest first (super admin).

    The requests, newest first (super admin)
    """
    return connection.pages("/access-requests", query={"status": status})


def approve(connection: Connection, access_request_id: int) -> dict[str, Any]:
    """Approves a request: its e-mail may sign in as an admin and is mailed the next steps (super admin).

    Approves a request: its e-mail may sign in as an admin and is mailed the next steps (super admin)
    """
    return connection.call("POST", f"/access-requests/{access_request_id}/approve")


def reject(connection: Connection, access_request_id: int, body: Any) -> dict[str, Any]:
    """Rejects a request with a reason, which is mailed (super admin).

    Rejects a request with a reason, which is mailed (super admin)
    """
    return connection.call("POST", f"/access-requests/{access_request_id}/reject", json=body)


def list_model_servers(connection: Connection) -> list[Any]:
    """The model servers: their state, limits, traffic and money (super admin).

    The model servers: their state, limits, traffic and money (super admin)
    """
    return connection.call("GET", "/admin/model-servers")


def check_model_server(connection: Connection, name: str) -> dict[str, Any]:
    """Checks the models of a model server (super admin).

    Makes some twenty tiny calls to each model that find out what the server really does with schemas, seeds,
    temperatures, caches and other parts of a request. It answers at once; the findings appear in `GET /admin/model-
    servers`, and starts of runs use them. A check takes no credits: its cost by the server's bill is among the
    findings. It ends after ten minutes at the latest.
    """
    return connection.call("POST", f'/admin/model-servers/{quote(name, safe="")}/check')


def delete_account(connection: Connection) -> None:
    """Deletes the caller's account.

    Who owns an open group closes it first, or has it handed over. Active runs stop, sessions end at once, and the
    personal data is erased within a day.
    """
    return connection.call("DELETE", "/auth/account")


def download_my_data(connection: Connection) -> Any:
    """Everything about the caller, as JSON.

    Profile, settings, memberships, surveys with their questions, runs with their answers, transactions and requests for
    access.
    """
    return connection.call("GET", "/auth/data")


def logout(connection: Connection) -> None:
    """Ends the session, or the personal access token, that the call is made with.

    Ends the session, or the personal access token, that the call is made with
    """
    return connection.call("POST", "/auth/logout")


def logout_everywhere(connection: Connection) -> None:
    """Ends all sessions of the caller.

    Personal access tokens stay until they are deleted.
    """
    return connection.call("POST", "/auth/logout-everywhere")


def upload_photo(connection: Connection, files: dict[str, Any]) -> dict[str, Any]:
    """Uploads the caller's photo.

    Uploads the caller's photo
    """
    return connection.call("POST", "/auth/photo", files=files)


def show_photo(connection: Connection, photo: str) -> Response:
    """The photo with the name that `photoUrl` ends with.

    Pictures in pages send no token: the name cannot be guessed. By a user's id, callers see their own photo and those
    of the members of their groups.
    """
    return connection.stream("GET", f'/auth/photo/{quote(photo, safe="")}')


def show_profile(connection: Connection) -> dict[str, Any]:
    """The caller's profile.

    The caller's profile
    """
    return connection.call("GET", "/auth/profile")


def update_profile(connection: Connection, body: Any) -> dict[str, Any]:
    """Changes the caller's name.

    Changes the caller's name
    """
    return connection.call("PUT", "/auth/profile", json=body)


def request_group(connection: Connection, body: Any) -> dict[str, Any]:
    """Asks for access for an institution or a class.

    Asks for access for an institution or a class
    """
    return connection.call("POST", "/auth/request-group", json=body)


def request_login(connection: Connection, body: Any) -> dict[str, Any]:
    """Sends a verification code by e-mail.

    The answer is the same whether somebody has the e-mail or not. The last three codes are valid.
    """
    return connection.call("POST", "/auth/request-login", json=body)


def show_settings(connection: Connection) -> dict[str, Any]:
    """The caller's settings.

    The caller's settings
    """
    return connection.call("GET", "/auth/settings")


def update_settings(connection: Connection, body: Any) -> dict[str, Any]:
    """Replaces the caller's settings; what is left out takes its default.

    Replaces the caller's settings; what is left out takes its default
    """
    return connection.call("PUT", "/auth/settings", json=body)


def list_tokens(connection: Connection) -> list[Any]:
    """The caller's personal access tokens, newest first.

    The caller's personal access tokens, newest first
    """
    return connection.pages("/auth/tokens")


def create_token(connection: Connection, body: Any) -> dict[str, Any]:
    """Creates a personal access token.

    The answer holds the token; it cannot be had again. A token may create others only if its scope is `manage`.
    """
    return connection.call("POST", "/auth/tokens", json=body)


def delete_token(connection: Connection, token_id: int) -> None:
    """Deletes a personal access token of the caller: it is void at once.

    Deletes a personal access token of the caller: it is void at once
    """
    return connection.call("DELETE", f"/auth/tokens/{token_id}")


def verify_login(connection: Connection, body: Any) -> dict[str, Any]:
    """Signs in with the code.

    A code is good for ten minutes, five tries and one success. After 100 failed tries at an e-mail's codes in 24 hours
    no code of it is compared until the day has passed, and its owner gets a mail. The key of the mail's link is good
    for as long as its code, whatever was tried.
    """
    return connection.call("POST", "/auth/verify-login", json=body)


def list_groups(connection: Connection) -> list[Any]:
    """The groups that the caller sees, newest first: all for a super admin.

    The groups that the caller sees, newest first: all for a super admin
    """
    return connection.pages("/groups")


def create_group(connection: Connection, body: Any) -> dict[str, Any]:
    """Creates a group (admin, super admin).

    Its owner is a member from the start, without credits. The owner of a super admin's group becomes an admin; an
    e-mail that nobody has is invited.
    """
    return connection.call("POST", "/groups", json=body)


def list_my_groups(connection: Connection) -> list[Any]:
    """The groups that the caller owns or is an active member of, newest first.

    The groups that the caller owns or is an active member of, newest first
    """
    return connection.pages("/groups/my")


def list_all_group_ledgers(
    connection: Connection, *, group: int | None = None, type: str | None = None, from_: str | None = None, to: str |
    None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> list[Any]:
    """The entries of all groups that the caller sees.

    The entries of all groups that the caller sees
    """
    return connection.pages(
        "/groups/transactions/all",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def show_group(connection: Connection, group_id: int) -> dict[str, Any]:
    """A group of the caller's.

    A group of the caller's
    """
    return connection.call("GET", f"/groups/{group_id}")


def delete_group(connection: Connection, group_id: int) -> None:
    """Deletes a group without active simulations (its owner, super admin).

    Its ledger and its surveys' results stay readable to those who could read them.
    """
    return connection.call("DELETE", f"/groups/{group_id}")


def update_group(connection: Connection, group_id: int, body: Any) -> dict[str, Any]:
    """Changes a group (its owner, super admin).

    Changes a group (its owner, super admin)
    """
    return connection.call("PATCH", f"/groups/{group_id}", json=body)


def list_members(connection: Connection, group_id: int) -> list[Any]:
    """The members of a group, newest first.

    Its owner and super admins see all of them, a member only themselves.
    """
    return connection.pages(f"/groups/{group_id}/members")


def add_member(connection: Connection, group_id: int, body: Any) -> dict[str, Any]:
    """Adds a member by e-mail (the group's owner, super admin).

    Adds a member by e-mail (the group's owner, super admin)
    """
    return connection.call("POST", f"/groups/{group_id}/members", json=body)


def set_budgets(connection: Connection, group_id: int, body: Any) -> list[Any]:
    """Sets the budgets of several members, or of none (the group's owner, super admin).

    Sets the budgets of several members, or of none (the group's owner, super admin)
    """
    return connection.call("PATCH", f"/groups/{group_id}/members/budgets", json=body)


def add_members(connection: Connection, group_id: int, body: Any) -> list[Any]:
    """Adds the members of a class list (the group's owner, super admin).

    One e-mail after the other: those that are refused say why, the others are members. E-mails that a busy server had
    no time for have the code `not_tried`: send them again.
    """
    return connection.call("POST", f"/groups/{group_id}/members/bulk", json=body)


def remove_member(connection: Connection, group_id: int, user_id: int) -> None:
    """Removes a member (the group's owner, super admin).

    The budget goes back; the ledger and the member's surveys stay.
    """
    return connection.call("DELETE", f"/groups/{group_id}/members/{user_id}")


def set_budget(connection: Connection, group_id: int, user_id: int, body: Any) -> dict[str, Any]:
    """Sets a member's budget (the group's owner, super admin).

    Sets a member's budget (the group's owner, super admin)
    """
    return connection.call("PATCH", f"/groups/{group_id}/members/{user_id}/budget", json=body)


def set_member_status(connection: Connection, group_id: int, user_id: int, body: Any) -> dict[str, Any]:
    """Suspends a member or takes it back (the group's owner, super admin).

    The simulations of a suspended member are paused.
    """
    return connection.call("PATCH", f"/groups/{group_id}/members/{user_id}/status", json=body)


def list_model_keys(connection: Connection, group_id: int) -> list[Any]:
    """The owner of the key that new runs of a group use at each model server (the group's owner, super admin).

    Keys themselves are never shown.
    """
    return connection.call("GET", f"/groups/{group_id}/model-keys")


def set_model_key(connection: Connection, group_id: int, server: str, body: Any) -> dict[str, Any]:
    """Sets or replaces the group's key for a model server (the group's owner, super admin).

    New runs of the group ask this server with it. Runs that began with the earlier key of the group go on with this
    one.
    """
    return connection.call("PUT", f'/groups/{group_id}/model-keys/{quote(server, safe="")}', json=body)


def remove_model_key(connection: Connection, group_id: int, server: str) -> None:
    """Removes the group's key for a model server (the group's owner, super admin).

    Runs that began with it pause. New runs use the key of the instance, if it has one.
    """
    return connection.call("DELETE", f'/groups/{group_id}/model-keys/{quote(server, safe="")}')


def list_group_ledger(
    connection: Connection, group_id: int, *, group: int | None = None, type: str | None = None, from_: str | None =
    None, to: str | None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> list[Any]:
    """The entries of a group that the caller sees: all for its owner, a member's own.

    The entries of a group that the caller sees: all for its owner, a member's own
    """
    return connection.pages(
        f"/groups/{group_id}/transactions",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def group_usage(connection: Connection, group_id: int) -> list[Any]:
    """Budget, holds, spending and runs of each member (the group's owner, super admin).

    Budget, holds, spending and runs of each member (the group's owner, super admin)
    """
    return connection.pages(f"/groups/{group_id}/usage")


def show_human_sample(connection: Connection, sample_id: str) -> dict[str, Any]:
    """A human sample with how it is read (the survey's author).

    A human sample with how it is read (the survey's author)
    """
    return connection.call("GET", f"/human-samples/{sample_id}")


def delete_human_sample(connection: Connection, sample_id: str) -> None:
    """Deletes a human sample with all its rows (the survey's author).

    Deletes a human sample with all its rows (the survey's author)
    """
    return connection.call("DELETE", f"/human-samples/{sample_id}")


def change_human_sample(connection: Connection, sample_id: str, body: Any) -> dict[str, Any]:
    """Changes how a human sample is read and compared, or its name (the survey's author).

    Every comparison with it is made by what it says now. Only columns that were kept can be chosen.
    """
    return connection.call("PATCH", f"/human-samples/{sample_id}", json=body)


def list_personas(
    connection: Connection, *, q: str | None = None, attributes: dict[str, str] | None = None
) -> list[Any]:
    """The twins, by id.

    An attribute can also stand in the query by its bare name, as in `?Gender=Female&Age=30-49`; see `GET
    /personas/attributes`. A name that is no attribute of the twins is an error.
    """
    return connection.pages("/personas", query={"q": q, "attributes": attributes})


def create_persona(connection: Connection, body: Any) -> dict[str, Any]:
    """Adds a twin to the current ones (super admin).

    Adds a twin to the current ones (super admin)
    """
    return connection.call("POST", "/personas", json=body)


def delete_personas(connection: Connection) -> dict[str, Any]:
    """Deletes all twins (super admin).

    Deletes all twins (super admin)
    """
    return connection.call("DELETE", "/personas")


def list_persona_attributes(connection: Connection) -> list[Any]:
    """The attributes of the twins, with their values.

    The attributes of the twins, with their values
    """
    return connection.call("GET", "/personas/attributes")


def count_personas(connection: Connection, *, attributes: dict[str, str] | None = None) -> dict[str, Any]:
    """How many twins there are.

    How many twins there are
    """
    return connection.call("GET", "/personas/count", query={"attributes": attributes})


def import_personas(connection: Connection, files: dict[str, Any]) -> dict[str, Any]:
    """Imports twins from a file in the place of the current ones (super admin).

    Rows that are no twins are left out and reported. A file without a single good row, or that cannot be read to its
    end, changes nothing. Finished runs keep the twins that they asked.
    """
    return connection.call("POST", "/personas/import/csv", files=files)


def propose_quotas(connection: Connection, attribute: str, n: int, *, shares: str | None = None) -> dict[str, Any]:
    """Numbers of twins of each value of an attribute, as `quotas` of a start may ask for.

    They add up to `n`, by largest remainders. A number may be above the `available` twins, which a start refuses.
    """
    return connection.call("GET", "/personas/quotas", query={"attribute": attribute, "n": n, "shares": shares})


def random_personas(
    connection: Connection, n: int, *, seed: int | None = None, attributes: dict[str, str] | None = None
) -> list[Any]:
    """Twins chosen at random, by id.

    The seed that names them again is in `X-Seed`.
    """
    return connection.call("GET", f"/personas/random/{n}", query={"seed": seed, "attributes": attributes})


def search_personas(
    connection: Connection, *, q: str | None = None, attributes: dict[str, str] | None = None
) -> list[Any]:
    """The twins with a text in their name, description, id of the dataset or attributes, by id.

    The twins with a text in their name, description, id of the dataset or attributes, by id
    """
    return connection.pages("/personas/search", query={"q": q, "attributes": attributes})


def start_validation(
    connection: Connection, set_id: int, body: Any, *, price: bool | None = None, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Starts a validation of the current twins: a private survey of the caller and a study over it.

    Each twin is asked the questions that its person answered twice and that are held out from it. With `?price=true` it
    returns the price, and starts nothing. Sent again under the same `Idempotency-Key`, it answers the same and starts
    nothing.
    """
    return connection.call(
        "POST",
        f"/personas/sets/{set_id}/validation",
        query={"price": price},
        headers={"Idempotency-Key": idempotency_key},
        json=body,
    )


def show_validation_offer(connection: Connection) -> dict[str, Any]:
    """Size and price of a validation of the current twins.

    Size and price of a validation of the current twins
    """
    return connection.call("GET", "/personas/validation")


def show_persona(connection: Connection, persona_id: int) -> dict[str, Any]:
    """A twin, with the texts that it is asked with.

    A twin, with the texts that it is asked with
    """
    return connection.call("GET", f"/personas/{persona_id}")


def delete_persona(connection: Connection, persona_id: int) -> None:
    """Deletes a twin (super admin).

    Deletes a twin (super admin)
    """
    return connection.call("DELETE", f"/personas/{persona_id}")


def update_persona(connection: Connection, persona_id: int, body: Any) -> dict[str, Any]:
    """Changes a twin (super admin).

    Changes a twin (super admin)
    """
    return connection.call("PATCH", f"/personas/{persona_id}", json=body)


def plan(connection: Connection, body: Any) -> dict[str, Any]:
    """How many people a study takes, and of a mix how many twins.

    No more twins than there are. What the figures rest on: `docs/evidence.md`.
    """
    return connection.call("POST", "/plan", json=body)


def show_plan(connection: Connection, plan_id: str) -> dict[str, Any]:
    """A plan with its deviations.

    A plan with its deviations
    """
    return connection.call("GET", f"/plans/{plan_id}")


def save_plan(
    connection: Connection, plan_id: str, body: Any, *, expected_updated_at: str | None = None
) -> dict[str, Any]:
    """Saves a draft; what is left out is emptied (the survey's author).

    Saves a draft; what is left out is emptied (the survey's author)
    """
    return connection.call("PUT", f"/plans/{plan_id}", query={"expectedUpdatedAt": expected_updated_at}, json=body)


def delete_plan(connection: Connection, plan_id: str) -> None:
    """Deletes a draft by which no study was started (the survey's author).

    Deletes a draft by which no study was started (the survey's author)
    """
    return connection.call("DELETE", f"/plans/{plan_id}")


def give_reason_of_deviation(connection: Connection, plan_id: str, deviation_id: int, body: Any) -> dict[str, Any]:
    """Gives the reason of a deviation (the survey's author).

    A reason can be given once.
    """
    return connection.call("PATCH", f"/plans/{plan_id}/deviations/{deviation_id}", json=body)


def freeze_plan(connection: Connection, plan_id: str) -> dict[str, Any]:
    """Freezes a plan: from now on nothing of it can be changed (the survey's author).

    The plan, the survey with its design and the time are hashed together. It needs a title and at least one primary
    item.
    """
    return connection.call("POST", f"/plans/{plan_id}/freeze")


def look_anyway(connection: Connection, plan_id: str) -> dict[str, Any]:
    """Shows the hidden results of a study before its plan is frozen (the survey's author).

    It cannot be undone, and is noted as a deviation: look at data before the freeze.
    """
    return connection.call("POST", f"/plans/{plan_id}/look")


def plan_json(connection: Connection, plan_id: str) -> Any:
    """A frozen plan as it was hashed: canonical JSON with the survey and its design.

    A frozen plan as it was hashed: canonical JSON with the survey and its design
    """
    return connection.call("GET", f"/plans/{plan_id}/plan.json")


def plan_markdown(connection: Connection, plan_id: str) -> Response:
    """A frozen plan as Markdown, with its deviations so far.

    A frozen plan as Markdown, with its deviations so far
    """
    return connection.stream("GET", f"/plans/{plan_id}/plan.md")


def publish_plan(connection: Connection, plan_id: str) -> dict[str, Any]:
    """Gives a frozen plan a public page at an address that nobody can guess (the survey's author).

    Everybody who has the address reads the plan, the survey's questions and design, and the deviations, without an
    account and until it is withdrawn. A plan that has a page keeps its address.
    """
    return connection.call("POST", f"/plans/{plan_id}/publication")


def withdraw_plan(connection: Connection, plan_id: str) -> None:
    """Withdraws the public page of a plan: its address leads nowhere at once, for good (the survey's author).

    Withdraws the public page of a plan: its address leads nowhere at once, for good (the survey's author)
    """
    return connection.call("DELETE", f"/plans/{plan_id}/publication")


def show_shared_plan(connection: Connection, token: str) -> dict[str, Any]:
    """The public page of a frozen plan.

    The public page of a frozen plan
    """
    return connection.call("GET", f'/shared-plans/{quote(token, safe="")}')


def show_shared_plan_as_json(connection: Connection, token: str) -> Any:
    """A public plan as it was hashed: canonical JSON with the survey and its design.

    A public plan as it was hashed: canonical JSON with the survey and its design
    """
    return connection.call("GET", f'/shared-plans/{quote(token, safe="")}/plan.json')


def show_shared_plan_as_markdown(connection: Connection, token: str) -> Response:
    """A public plan as Markdown, with its deviations so far.

    A public plan as Markdown, with its deviations so far
    """
    return connection.stream("GET", f'/shared-plans/{quote(token, safe="")}/plan.md')


def show_shared(connection: Connection, token: str) -> dict[str, Any]:
    """The facts of a run behind a read-only link.

    Each call counts as a view.
    """
    return connection.call("GET", f'/shared/{quote(token, safe="")}')


def summarize_shared(
    connection: Connection, token: str, *, by: str | None = None, where: list[str] | None = None
) -> dict[str, Any]:
    """The figures of a run behind a read-only link.

    The same as the summary of a simulation, with `by` and `where`.
    """
    return connection.call("GET", f'/shared/{quote(token, safe="")}/summary', query={"by": by, "where": where})


def list_shared_texts(
    connection: Connection, token: str, question_id: int, *, q: str | None = None, theme: str | None = None, by: str |
    None = None, group: str | None = None, limit: int | None = None, offset: int | None = None, where: list[str] | None
    = None
) -> dict[str, Any]:
    """The answers in free words of a run behind a read-only link.

    The same as the texts of a simulation, with search, `theme`, `by`, `group` and `where`.
    """
    return connection.call(
        "GET",
        f'/shared/{quote(token, safe="")}/texts',
        query={"questionId": question_id, "q": q, "theme": theme, "by": by, "group": group, "limit": limit, "offset":
        offset, "where": where},
    )


def list_simulations(
    connection: Connection, *, survey_id: int | None = None, group_id: int | None = None, status: str | None = None
) -> list[Any]:
    """The caller's runs, newest first; a super admin's are everybody's.

    The caller's runs, newest first; a super admin's are everybody's
    """
    return connection.pages("/simulations", query={"surveyId": survey_id, "groupId": group_id, "status": status})


def check_all_statuses(connection: Connection) -> list[Any]:
    """Makes the state and counters of the caller's active runs agree with their answers; for a super admin everybody's.

    Makes the state and counters of the caller's active runs agree with their answers; for a super admin everybody's
    """
    return connection.call("POST", "/simulations/check-all-statuses")


def execute_simulation(connection: Connection, simulation_id: str) -> dict[str, Any]:
    """Queues a run that waits to be executed; no change to one that is queued or running.

    Queues a run that waits to be executed; no change to one that is queued or running
    """
    return connection.call("POST", f"/simulations/execute/{simulation_id}")


def available_personas(connection: Connection) -> list[Any]:
    """The twins that a run may ask, by id.

    The twins that a run may ask, by id
    """
    return connection.pages("/simulations/personas/available")


def queue_status(connection: Connection) -> dict[str, Any]:
    """The queue, the workers and the model server (super admin).

    The queue, the workers and the model server (super admin)
    """
    return connection.call("GET", "/simulations/queue/status")


def trigger_queue(connection: Connection) -> dict[str, Any]:
    """Rings at the workers' doors, so that they look at the queue now (super admin).

    Rings at the workers' doors, so that they look at the queue now (super admin)
    """
    return connection.call("POST", "/simulations/queue/trigger")


def retry_failed(
    connection: Connection, simulation_id: str, body: Any, *, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Asks the failed requests of a run that is over once more, for as many credits.

    Sent again under the same `Idempotency-Key`, it answers the same and asks nothing.
    """
    return connection.call(
        "POST",
        f"/simulations/retry-failed/{simulation_id}",
        headers={"Idempotency-Key": idempotency_key},
        json=body,
    )


def latest_live_progress(connection: Connection, survey_id: int) -> dict[str, Any]:
    """How far the survey's latest run is: the same as its progress.

    How far the survey's latest run is: the same as its progress
    """
    return connection.call("GET", f"/simulations/survey/{survey_id}/live-progress")


def latest_pause(connection: Connection, survey_id: int) -> dict[str, Any]:
    """Pauses the survey's active run: calls under way finish and count, no new one starts.

    Pauses the survey's active run: calls under way finish and count, no new one starts
    """
    return connection.call("POST", f"/simulations/survey/{survey_id}/pause")


def latest_progress(connection: Connection, survey_id: int) -> dict[str, Any]:
    """How far the survey's latest run is.

    How far the survey's latest run is
    """
    return connection.call("GET", f"/simulations/survey/{survey_id}/progress")


def latest_refresh_status(connection: Connection, survey_id: int) -> dict[str, Any]:
    """How far the survey's latest run is, after its state and counters were made to agree with its answers.

    How far the survey's latest run is, after its state and counters were made to agree with its answers
    """
    return connection.call("GET", f"/simulations/survey/{survey_id}/refresh-status")


def latest_reset_counters(connection: Connection, survey_id: int) -> dict[str, Any]:
    """Recounts every counter of the survey's latest run, unless it is running.

    Recounts every counter of the survey's latest run, unless it is running
    """
    return connection.call("POST", f"/simulations/survey/{survey_id}/reset-counters")


def latest_resume(connection: Connection, survey_id: int) -> dict[str, Any]:
    """Lets the survey's paused run go on where it stopped.

    Lets the survey's paused run go on where it stopped
    """
    return connection.call("POST", f"/simulations/survey/{survey_id}/resume")


def start_simulation(
    connection: Connection, survey_id: int, body: Any, *, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Starts a run of a survey: sets `personas × questions` credits aside and freezes the survey.

    Sent again under the same `Idempotency-Key`, it answers the same and starts nothing.
    """
    return connection.call(
        "POST",
        f"/simulations/survey/{survey_id}/start",
        headers={"Idempotency-Key": idempotency_key},
        json=body,
    )


def latest_stop(connection: Connection, survey_id: int) -> dict[str, Any]:
    """Ends the survey's active run: answers stay, unspent credits come back.

    Ends the survey's active run: answers stay, unspent credits come back
    """
    return connection.call("POST", f"/simulations/survey/{survey_id}/stop")


def latest_update_progress(connection: Connection, survey_id: int, body: Any) -> dict[str, Any]:
    """Takes a client's idea of the latest run's progress, and answers with the counted one.

    Takes a client's idea of the latest run's progress, and answers with the counted one
    """
    return connection.call("POST", f"/simulations/survey/{survey_id}/update-progress", json=body)


def show_simulation(connection: Connection, simulation_id: str) -> dict[str, Any]:
    """A run with all that is known of it.

    A run with all that is known of it
    """
    return connection.call("GET", f"/simulations/{simulation_id}")


def name_simulation(connection: Connection, simulation_id: str, body: Any) -> dict[str, Any]:
    """Names a run, notes something down of it, or sets what it may cost.

    Names a run, notes something down of it, or sets what it may cost
    """
    return connection.call("PATCH", f"/simulations/{simulation_id}", json=body)


def list_assignments(
    connection: Connection, simulation_id: str, *, limit: int | None = None, offset: int | None = None
) -> dict[str, Any]:
    """The assignments of the twins of a run.

    The assignments of the twins of a run
    """
    return connection.call("GET", f"/simulations/{simulation_id}/assignments", query={"limit": limit, "offset": offset})


def continue_simulation(
    connection: Connection, simulation_id: str, *, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Goes on with a stopped run: asks what is neither answered nor failed, for as many credits.

    Until the pass ends, as many credits are set aside for what had failed. Sent again under the same `Idempotency-Key`,
    it answers the same and asks nothing.
    """
    return connection.call(
        "POST",
        f"/simulations/{simulation_id}/continue",
        headers={"Idempotency-Key": idempotency_key},
    )


def events(connection: Connection, simulation_id: str) -> Response:
    """A run's progress as server-sent events, until the run is over.

    Each event is named `progress` and holds what the progress call answers; one comes at once, then one whenever
    something changed. A comment comes every 15 seconds in which nothing did.
    """
    return connection.stream("GET", f"/simulations/{simulation_id}/events")


def failures(connection: Connection, simulation_id: str) -> list[Any]:
    """Why requests of a run failed, the commonest cause first.

    Why requests of a run failed, the commonest cause first
    """
    return connection.call("GET", f"/simulations/{simulation_id}/failures")


def live_progress(connection: Connection, simulation_id: str) -> dict[str, Any]:
    """How far a run is: the same as its progress.

    How far a run is: the same as its progress
    """
    return connection.call("GET", f"/simulations/{simulation_id}/live-progress")


def pause_simulation(connection: Connection, simulation_id: str) -> dict[str, Any]:
    """Pauses a run: calls under way finish and count, no new one starts.

    Pauses a run: calls under way finish and count, no new one starts
    """
    return connection.call("POST", f"/simulations/{simulation_id}/pause")


def list_simulation_personas(connection: Connection, simulation_id: str, *, persona_id: int | None = None) -> list[Any]:
    """The twins that a run asks, by id.

    With pid and attributes as they were when the run started, whatever was imported or changed since.
    """
    return connection.pages(f"/simulations/{simulation_id}/personas", query={"personaId": persona_id})


def progress(connection: Connection, simulation_id: str) -> dict[str, Any]:
    """How far a run is.

    How far a run is
    """
    return connection.call("GET", f"/simulations/{simulation_id}/progress")


def show_prompt(connection: Connection, simulation_id: str, persona_id: int, question_id: int) -> dict[str, Any]:
    """The exact prompt that an answer came from.

    For those who may control the run, since it holds the twin's text. It is built again and checked against the stored
    hash.
    """
    return connection.call(
        "GET",
        f"/simulations/{simulation_id}/prompt",
        query={"personaId": persona_id, "questionId": question_id},
    )


def refresh_status(connection: Connection, simulation_id: str) -> dict[str, Any]:
    """How far a run is, after its state and counters were made to agree with its answers.

    How far a run is, after its state and counters were made to agree with its answers
    """
    return connection.call("GET", f"/simulations/{simulation_id}/refresh-status")


def reset_counters(connection: Connection, simulation_id: str) -> dict[str, Any]:
    """Recounts every counter of a run that is not running from its answers.

    Recounts every counter of a run that is not running from its answers
    """
    return connection.call("POST", f"/simulations/{simulation_id}/reset-counters")


def resume_simulation(connection: Connection, simulation_id: str) -> dict[str, Any]:
    """Lets a paused run go on where it stopped.

    Lets a paused run go on where it stopped
    """
    return connection.call("POST", f"/simulations/{simulation_id}/resume")


def share_simulation(connection: Connection, simulation_id: str, body: Any) -> dict[str, Any]:
    """Makes a read-only link to a run's results (who started it, the owner of its group, super admin).

    Everybody who has the link sees the run's facts and summary, without an account, until it expires or is revoked. The
    answer holds the token; it cannot be had again.
    """
    return connection.call("POST", f"/simulations/{simulation_id}/share", json=body)


def list_shares(connection: Connection, simulation_id: str) -> list[Any]:
    """The read-only links to a run's results, newest first (who started it, the owner of its group, super admin).

    The read-only links to a run's results, newest first (who started it, the owner of its group, super admin)
    """
    return connection.pages(f"/simulations/{simulation_id}/shares")


def revoke_share(connection: Connection, simulation_id: str, share_id: int) -> None:
    """Revokes a read-only link: it leads nowhere at once (who started the run, the owner of its group, super admin).

    Revokes a read-only link: it leads nowhere at once (who started the run, the owner of its group, super admin)
    """
    return connection.call("DELETE", f"/simulations/{simulation_id}/shares/{share_id}")


def stop_simulation(connection: Connection, simulation_id: str) -> dict[str, Any]:
    """Ends an active run: answers stay, unspent credits come back.

    Ends an active run: answers stay, unspent credits come back
    """
    return connection.call("POST", f"/simulations/{simulation_id}/stop")


def show_run_trust(connection: Connection, simulation_id: str) -> dict[str, Any]:
    """How far a run's answers can be trusted.

    How far a run's answers can be trusted
    """
    return connection.call("GET", f"/simulations/{simulation_id}/trust")


def update_progress(connection: Connection, simulation_id: str, body: Any) -> dict[str, Any]:
    """Takes a client's idea of the progress, and answers with the counted one: the count stands.

    Takes a client's idea of the progress, and answers with the counted one: the count stands
    """
    return connection.call("POST", f"/simulations/{simulation_id}/update-progress", json=body)


def show_study(connection: Connection, study_id: str) -> dict[str, Any]:
    """A study with its runs.

    A study with its runs
    """
    return connection.call("GET", f"/studies/{study_id}")


def name_study(connection: Connection, study_id: str, body: Any) -> dict[str, Any]:
    """Names a study, or notes something down of it; its runs keep their names.

    Names a study, or notes something down of it; its runs keep their names
    """
    return connection.call("PATCH", f"/studies/{study_id}", json=body)


def bundle_study(
    connection: Connection, study_id: str, *, with_prompts: bool | None = None, with_people: bool | None = None
) -> Response:
    """A study with all that the files of its runs are built from, as one zip.

    Each run in a folder with all that its own bundle has, the runs beside the first one as tables, how alike repeats
    are, a text on methods, GUIDE-LLM's items, and a manifest of checksums. `twinlab replay FILE --check` builds
    everything anew and compares it byte for byte.
    """
    return connection.stream(
        "GET",
        f"/studies/{study_id}/bundle",
        query={"withPrompts": with_prompts, "withPeople": with_people},
    )


def show_validation_calibration(connection: Connection, study_id: str) -> dict[str, Any]:
    """How far the shares of a validation's repeats can be believed as forecasts of what people answered first.

    Of the answers that are there, to questions with one option as the answer. What each figure means:
    `docs/evidence.md`.
    """
    return connection.call("GET", f"/studies/{study_id}/calibration")


def compare_runs(connection: Connection, study_id: str, *, reference: str | None = None) -> dict[str, Any]:
    """The runs of a study beside one of them: the same twins, asked otherwise.

    Every figure is of the same twins in both runs. `adjustedP` is p adjusted by `rule`: that of the study's frozen
    plan, else Benjamini's and Hochberg's over the questions of each run. What each figure means: `docs/evidence.md`.
    """
    return connection.call("GET", f"/studies/{study_id}/comparison", query={"reference": reference})


def compare_runs_as_csv(connection: Connection, study_id: str, *, reference: str | None = None) -> Response:
    """The runs of a study beside one of them as CSV: a row for each figure of each run.

    Where the study has a frozen plan, `analysis` says `preregistered` or `exploratory`, p is adjusted by the plan's
    rule (`adjusted p` in place of `q`), and the last row has its alpha, and the rule as its note.
    """
    return connection.stream("GET", f"/studies/{study_id}/comparison.csv", query={"reference": reference})


def continue_study(connection: Connection, study_id: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
    """Goes on with every stopped run of a study: asks what is neither answered nor failed, for as many credits.

    Until a run's pass ends, as many credits are set aside for what had failed of it. Sent again under the same
    `Idempotency-Key`, it answers the same and asks nothing.
    """
    return connection.call("POST", f"/studies/{study_id}/continue", headers={"Idempotency-Key": idempotency_key})


def freeze_study(connection: Connection, study_id: str, body: Any) -> dict[str, Any]:
    """Freezes the plan of a study: the draft that it was started by, or the one that is sent (who started it).

    A plan that is sent takes the draft's place. If answers could be seen already, that is noted as a deviation, as is
    every difference between the plan and the runs.
    """
    return connection.call("POST", f"/studies/{study_id}/freeze", json=body)


def pause_study(connection: Connection, study_id: str) -> dict[str, Any]:
    """Pauses every run of a study that is queued or running: calls under way finish and count.

    Pauses every run of a study that is queued or running: calls under way finish and count
    """
    return connection.call("POST", f"/studies/{study_id}/pause")


def compare_study_with_sample(
    connection: Connection, study_id: str, *, reference: str | None = None, sample: str | None = None
) -> dict[str, Any]:
    """Sets the twins of a study beside people whose answers are kept.

    As of a run, with the survey's newest human sample, or `sample`, and for the run `reference` with what belongs to
    it.
    """
    return connection.call("GET", f"/studies/{study_id}/people", query={"reference": reference, "sample": sample})


def compare_study_with_people(
    connection: Connection, study_id: str, files: dict[str, Any], *, reference: str | None = None, adjust: str | None =
    None, arm: str | None = None, by: str | None = None, cells: str | None = None, probability: str | None = None,
    regress: str | None = None, twin_weight: str | None = None, weight: str | None = None
) -> dict[str, Any]:
    """Sets the twins of a study beside people who answered the same survey.

    As for a run, for the run `reference` and what belongs to it: with `arm`, the runs in which the same twins stood in
    the other arms, so that each twin is compared with itself; and its repeats, whose shares of answers are forecasts
    that people's answers put to the test. The file is read, compared and forgotten. What each figure means:
    `docs/evidence.md`.
    """
    return connection.call(
        "POST",
        f"/studies/{study_id}/people",
        query={"reference": reference, "adjust": adjust, "arm": arm, "by": by, "cells": cells, "probability":
        probability, "regress": regress, "twinWeight": twin_weight, "weight": weight},
        files=files,
    )


def show_plan_of_study(connection: Connection, study_id: str) -> dict[str, Any]:
    """The plan of a study.

    The plan of a study
    """
    return connection.call("GET", f"/studies/{study_id}/plan")


def resume_study(connection: Connection, study_id: str) -> dict[str, Any]:
    """Lets every paused run of a study go on where it stopped.

    Lets every paused run of a study go on where it stopped
    """
    return connection.call("POST", f"/studies/{study_id}/resume")


def retry_failed_of_study(
    connection: Connection, study_id: str, *, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Asks the failed requests of every run of a study that is over once more, for as many credits.

    Runs without failed requests, and those that are not over, stay as they are. Sent again under the same `Idempotency-
    Key`, it answers the same and asks nothing.
    """
    return connection.call("POST", f"/studies/{study_id}/retry-failed", headers={"Idempotency-Key": idempotency_key})


def stop_study(connection: Connection, study_id: str) -> dict[str, Any]:
    """Ends every active run of a study: answers stay, unspent credits come back.

    Ends every active run of a study: answers stay, unspent credits come back
    """
    return connection.call("POST", f"/studies/{study_id}/stop")


def show_validation(connection: Connection, study_id: str) -> dict[str, Any]:
    """The figures of a validation: twins, baselines and the same people weeks later, compared with people's first
    answers.

    Of the answers that are there; final once its runs are over. What each figure means: `docs/evidence.md`.
    """
    return connection.call("GET", f"/studies/{study_id}/validation")


def create_survey(connection: Connection, body: Any) -> dict[str, Any]:
    """Creates a survey without questions.

    Creates a survey without questions
    """
    return connection.call("POST", "/surveys", json=body)


def import_survey(connection: Connection, group_id: int, body: Any) -> dict[str, Any]:
    """Creates a survey from a file.

    A refusal names the place: `question 3: options[1]: …`.
    """
    return connection.call("POST", "/surveys/import", query={"groupId": group_id}, json=body)


def import_qsf(
    connection: Connection, group_id: int, files: dict[str, Any], *, check: bool | None = None, draft: bool | None =
    None
) -> dict[str, Any]:
    """Creates a survey from a file of Qualtrics (.qsf) or SurveyJS (.json).

    The two are recognised by their content. If the report has an error, nothing is created unless a draft is asked for.
    """
    return connection.call(
        "POST",
        "/surveys/import/qsf",
        query={"groupId": group_id, "check": check, "draft": draft},
        files=files,
    )


def my_surveys(connection: Connection, *, shared: bool | None = None, group_id: int | None = None) -> list[Any]:
    """The caller's surveys, newest first.

    The caller's surveys, newest first
    """
    return connection.pages("/surveys/my", query={"shared": shared, "groupId": group_id})


def delete_question(connection: Connection, question_id: int) -> None:
    """Deletes a question; those behind it move up.

    Deletes a question; those behind it move up
    """
    return connection.call("DELETE", f"/surveys/questions/{question_id}")


def change_question(connection: Connection, question_id: int, body: Any) -> dict[str, Any]:
    """Changes what the body speaks of; the rest of the question stays.

    A `name` of null or blank is made from the text anew. With `expected`, nothing that somebody else changed meanwhile
    is written over.
    """
    return connection.call("PATCH", f"/surveys/questions/{question_id}", json=body)


def show_survey(connection: Connection, survey_id: int) -> dict[str, Any]:
    """A survey with its questions.

    A survey with its questions
    """
    return connection.call("GET", f"/surveys/{survey_id}")


def delete_survey(connection: Connection, survey_id: int) -> None:
    """Deletes a survey that has no active run.

    What its runs answered and cost stays in the simulation history of who started them.
    """
    return connection.call("DELETE", f"/surveys/{survey_id}")


def change_survey(connection: Connection, survey_id: int, body: Any) -> dict[str, Any]:
    """Changes what the body speaks of; title and description only while nothing locks the survey.

    Changes what the body speaks of; title and description only while nothing locks the survey
    """
    return connection.call("PATCH", f"/surveys/{survey_id}", json=body)


def ask_one_persona(
    connection: Connection, survey_id: int, body: Any, *, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Asks one persona the questions of a survey, which stays open to changes.

    The run asks a copy of the survey that no list shows. It costs what any run of one persona costs, is in the ledger
    and in the caller's runs, and its answers are read and it is stopped like those of any other run.
    """
    return connection.call("POST", f"/surveys/{survey_id}/ask", headers={"Idempotency-Key": idempotency_key}, json=body)


def show_design(connection: Connection, survey_id: int) -> dict[str, Any]:
    """The design of a survey.

    The design of a survey
    """
    return connection.call("GET", f"/surveys/{survey_id}/design")


def replace_design(connection: Connection, survey_id: int, body: Any) -> dict[str, Any]:
    """Replaces the design of a survey.

    One that cannot be run yet is stored too: only the start of a simulation refuses it.
    """
    return connection.call("PUT", f"/surveys/{survey_id}/design", json=body)


def check_design(connection: Connection, survey_id: int, body: Any) -> dict[str, Any]:
    """Says what is wrong or doubtful about a design.

    Says what is wrong or doubtful about a design
    """
    return connection.call("POST", f"/surveys/{survey_id}/design/check", json=body)


def duplicate_survey(connection: Connection, survey_id: int, body: Any) -> dict[str, Any]:
    """Copies a survey with its questions, its design and the report of its import: the copy is the caller's, private
    and unlocked.

    Copies a survey with its questions, its design and the report of its import: the copy is the caller's, private and
    unlocked
    """
    return connection.call("POST", f"/surveys/{survey_id}/duplicate", json=body)


def export_survey(connection: Connection, survey_id: int) -> dict[str, Any]:
    """The survey as a file, to be imported again.

    The survey as a file, to be imported again
    """
    return connection.call("GET", f"/surveys/{survey_id}/export")


def list_human_samples(connection: Connection, survey_id: int) -> list[Any]:
    """The human samples of a survey, newest first.

    Callers who see the survey see its samples. The columns that were not kept are shown to the survey's owner alone.
    """
    return connection.pages(f"/surveys/{survey_id}/human-samples")


def add_human_sample(
    connection: Connection, survey_id: int, files: dict[str, Any], *, adjust: str | None = None, arm: str | None = None,
    by: str | None = None, cells: str | None = None, probability: str | None = None, regress: str | None = None,
    twin_weight: str | None = None, weight: str | None = None
) -> dict[str, Any]:
    """Keeps people's answers for all runs of a survey (its author).

    Only columns that count are kept: those that a question has, that are chosen here, or that say who it is (`pid`,
    `TWIN_ID`, `personaPid`), and those that could answer a question, so that the matching can be changed: in its words,
    or in at most 20 others, each of 5 rows or more on average. Columns that tell who a person is, or that hold e-mail
    addresses, are never written anywhere. Nobody is sent the rows. They are deleted with the survey.
    """
    return connection.call(
        "POST",
        f"/surveys/{survey_id}/human-samples",
        query={"adjust": adjust, "arm": arm, "by": by, "cells": cells, "probability": probability, "regress": regress,
        "twinWeight": twin_weight, "weight": weight},
        files=files,
    )


def show_import_report(connection: Connection, survey_id: int) -> dict[str, Any]:
    """The import report of a survey.

    The import report of a survey
    """
    return connection.call("GET", f"/surveys/{survey_id}/import-report")


def list_profile_overlaps(connection: Connection, survey_id: int) -> list[Any]:
    """Questions of a survey whose words stand in the questions that the twins' profiles were made from.

    A twin does not predict the answer to such a question: it has read it. Ask before a start.
    """
    return connection.call("GET", f"/surveys/{survey_id}/leaks")


def list_plans(connection: Connection, survey_id: int) -> list[Any]:
    """The plans of a survey, newest first.

    The plans of a survey, newest first
    """
    return connection.pages(f"/surveys/{survey_id}/plans")


def draft_plan(connection: Connection, survey_id: int, body: Any) -> dict[str, Any]:
    """Drafts a plan of a study of the survey (its author).

    A draft says as much as is known; it can be saved again and again until it is frozen.
    """
    return connection.call("POST", f"/surveys/{survey_id}/plans", json=body)


def preview_survey(
    connection: Connection, survey_id: int, *, persona_id: int | None = None, seed: int | None = None,
    questions_per_call: int | None = None, arms: str | None = None
) -> dict[str, Any]:
    """Preview of one twin's interview, with invented answers and without a call to a model.

    Preview of one twin's interview, with invented answers and without a call to a model
    """
    return connection.call(
        "GET",
        f"/surveys/{survey_id}/preview",
        query={"personaId": persona_id, "seed": seed, "questionsPerCall": questions_per_call, "arms": arms},
    )


def list_questions(connection: Connection, survey_id: int) -> list[Any]:
    """The questions of a survey, in its order.

    The questions of a survey, in its order
    """
    return connection.call("GET", f"/surveys/{survey_id}/questions")


def add_question(connection: Connection, survey_id: int, body: Any) -> dict[str, Any]:
    """Adds a question at the end.

    Adds a question at the end
    """
    return connection.call("POST", f"/surveys/{survey_id}/questions", json=body)


def add_questions(connection: Connection, survey_id: int, body: Any) -> list[Any]:
    """Adds several questions at the end: all of them, or none.

    An error names the place of its question in the list, as `questions[3].options[1]`.
    """
    return connection.call("POST", f"/surveys/{survey_id}/questions/bulk", json=body)


def reorder_questions(connection: Connection, survey_id: int, body: Any) -> list[Any]:
    """Puts the questions in another order.

    Puts the questions in another order
    """
    return connection.call("PATCH", f"/surveys/{survey_id}/questions/order", json=body)


def rename_in_survey(connection: Connection, survey_id: int, body: Any) -> dict[str, Any]:
    """Renames a question, a field, an arm or a block wherever it is read.

    Changes texts, options, conditions and the flow, all or nothing. The same call with `from` and `to` exchanged takes
    it back.
    """
    return connection.call("POST", f"/surveys/{survey_id}/rename", json=body)


def simulation_config(connection: Connection, survey_id: int) -> dict[str, Any]:
    """Conditions of the next run of a survey.

    Conditions of the next run of a survey
    """
    return connection.call("GET", f"/surveys/{survey_id}/simulation-config")


def simulation_history(connection: Connection, survey_id: int) -> list[Any]:
    """The survey's runs, newest first.

    The survey's runs, newest first
    """
    return connection.pages(f"/surveys/{survey_id}/simulation-history")


def simulation_status(connection: Connection, survey_id: int) -> dict[str, Any]:
    """How the survey's latest run stands, if there was one.

    How the survey's latest run stands, if there was one
    """
    return connection.call("GET", f"/surveys/{survey_id}/simulation-status")


def compare_simulations(connection: Connection, survey_id: int, simulation_id: str, others: str) -> dict[str, Any]:
    """The answers of a run beside those of other runs.

    Questions are matched by their type, options and text, or by texts that are alike. Each has the runs as its groups:
    how far each lies from the first, and whether they differ. The runs are taken as different people: where they asked
    the same twins, intervals are usually wider and p larger than need be. p is adjusted over all tests of the answer by
    Holm at .05, or by the frozen plan of the study that all runs belong to.
    """
    return connection.call(
        "GET",
        f"/surveys/{survey_id}/simulation/{simulation_id}/comparison",
        query={"others": others},
    )


def diagnose_answers(connection: Connection, survey_id: int, simulation_id: str) -> dict[str, Any]:
    """Diagnostics of a run's answers.

    Each diagnostic measures one pitfall of asking language models and warns beyond its threshold. A warning says that
    something should be looked at, not that it is wrong. Formulas and sources: `docs/evidence.md`.
    """
    return connection.call("GET", f"/surveys/{survey_id}/simulation/{simulation_id}/diagnostics")


def list_own_answers(connection: Connection, survey_id: int, simulation_id: str) -> dict[str, Any]:
    """People's own answers to those questions of a run that their twins' profiles hold.

    A twin has read these answers: how well it repeats them says nothing of how well it predicts. Only questions whose
    options, rows and range are the same word for word.
    """
    return connection.call("GET", f"/surveys/{survey_id}/simulation/{simulation_id}/own-answers")


def compare_with_sample(
    connection: Connection, survey_id: int, simulation_id: str, *, sample: str | None = None
) -> dict[str, Any]:
    """Sets a run's twins beside people whose answers are kept.

    With the survey's newest human sample, or `sample`, as its settings say; the figures are those of the call that is
    sent a file. Callers who see the run see them. Cells of people's answers are shown to the survey's owner alone; of a
    public survey other callers see nothing about fewer than 5 people.
    """
    return connection.call("GET", f"/surveys/{survey_id}/simulation/{simulation_id}/people", query={"sample": sample})


def compare_with_people(
    connection: Connection, survey_id: int, simulation_id: str, files: dict[str, Any], *, adjust: str | None = None,
    arm: str | None = None, by: str | None = None, cells: str | None = None, probability: str | None = None, regress:
    str | None = None, twin_weight: str | None = None, weight: str | None = None
) -> dict[str, Any]:
    """Sets a run's twins beside people who answered the same survey.

    The file is read, compared and forgotten: nothing of it is stored. `POST /surveys/{surveyId}/human-samples` keeps it
    for all runs of the survey. Columns that tell who a person is (names, addresses, e-mails, places) are not looked at.
    Columns are matched to questions by Qualtrics' id where the survey was imported with it, then by name, then by
    similar name, then by text; columns of random orders, of fields and of arms to the random nodes, by id, name or
    value (`arms` says otherwise); choices by their label, by the label of a value or by their code; `matching` and
    `recodes` say otherwise. With a column of ids (`pid`, `TWIN_ID` or `personaPid`) each twin is compared with its own
    person. What each figure means: `docs/evidence.md`.
    """
    return connection.call(
        "POST",
        f"/surveys/{survey_id}/simulation/{simulation_id}/people",
        query={"adjust": adjust, "arm": arm, "by": by, "cells": cells, "probability": probability, "regress": regress,
        "twinWeight": twin_weight, "weight": weight},
        files=files,
    )


def export_bundle(
    connection: Connection, survey_id: int, simulation_id: str, *, with_prompts: bool | None = None, with_people: bool |
    None = None
) -> Response:
    """A run with all that its files are built from, as one zip.

    The survey as asked, the parameters, every checked answer with its provenance, the tables in all formats, a
    codebook, a text on methods, GUIDE-LLM's items, and a manifest of checksums. `twinlab replay FILE --check` builds
    the tables anew and compares them byte for byte. The bundle of a run that is over is the same bytes each time, until
    twins like its own are validated, or human samples of its survey change: the bundle holds the newest validation, and
    how many people gave which answer. Prompts need the right to control the simulation, rows of people that of the
    survey's author.
    """
    return connection.stream(
        "GET",
        f"/surveys/{survey_id}/simulation/{simulation_id}/responses/bundle.zip",
        query={"withPrompts": with_prompts, "withPeople": with_people},
    )


def export_codebook(connection: Connection, survey_id: int, simulation_id: str) -> Response:
    """The codebook of a run's wide files.

    A line for each code of a variable, or one line for a variable without codes.
    """
    return connection.stream("GET", f"/surveys/{survey_id}/simulation/{simulation_id}/responses/codebook.csv")


def count_answers(connection: Connection, survey_id: int, simulation_id: str) -> list[Any]:
    """How many requests of a run were answered, failed and are open, by question.

    How many requests of a run were answered, failed and are open, by question
    """
    return connection.call("GET", f"/surveys/{survey_id}/simulation/{simulation_id}/responses/counts")


def debug_answers(
    connection: Connection, survey_id: int, simulation_id: str, *, q: str | None = None, sort: str | None = None, order:
    str | None = None, where: list[str] | None = None
) -> list[Any]:
    """Every request of a run with where its answer came from.

    By twin and survey order: answered ones with their provenance, failed ones with the reason and what the model had
    said, open ones. Without a limit all of them, streamed.
    """
    return connection.pages(
        f"/surveys/{survey_id}/simulation/{simulation_id}/responses/debug",
        query={"q": q, "sort": sort, "order": order, "where": where},
    )


def export_answers(
    connection: Connection, survey_id: int, simulation_id: str, *, where: list[str] | None = None
) -> list[Any]:
    """Every request of a run as a flat row.

    By twin and survey order, answered or not: all of them, or the part that `limit` and `offset` ask for. A run that is
    not over says in every row that it is partial. With `format=csv`, `xlsx`, `jsonl` or `parquet` it answers as
    `export.csv`, `export.xlsx`, `export.jsonl` and `export.parquet` do.
    """
    return connection.pages(f"/surveys/{survey_id}/simulation/{simulation_id}/responses/export", query={"where": where})


def export_answers_as_csv(
    connection: Connection, survey_id: int, simulation_id: str, *, raw: bool | None = None, where: list[str] | None =
    None
) -> Response:
    """Every request of a run as CSV.

    RFC 4180 in UTF-8 with a byte order mark. Several options are joined by ` | ` in `answer`; `answerValue` has the
    answer typed, as JSON.
    """
    return connection.stream(
        "GET",
        f"/surveys/{survey_id}/simulation/{simulation_id}/responses/export.csv",
        query={"raw": raw, "where": where},
    )


def export_answers_as_json_lines(
    connection: Connection, survey_id: int, simulation_id: str, *, where: list[str] | None = None
) -> Response:
    """Every request of a run as JSON Lines.

    One object a line, the same as an element of the JSON array.
    """
    return connection.stream(
        "GET",
        f"/surveys/{survey_id}/simulation/{simulation_id}/responses/export.jsonl",
        query={"where": where},
    )


def export_answers_as_parquet(
    connection: Connection, survey_id: int, simulation_id: str, *, where: list[str] | None = None
) -> Response:
    """Every request of a run as parquet.

    With the columns of `export.csv?raw=true`: numbers as numbers, everything else as texts, and null where a cell is
    missing. The file's metadata hold the notice and the facts of the run.
    """
    return connection.stream(
        "GET",
        f"/surveys/{survey_id}/simulation/{simulation_id}/responses/export.parquet",
        query={"where": where},
    )


def export_answers_as_workbook(
    connection: Connection, survey_id: int, simulation_id: str, *, where: list[str] | None = None
) -> Response:
    """A run as a workbook.

    With the sheets List View, Matrix View (a row for each twin, with its attributes), Wide (a column for each part of
    an answer, for statistics programs), Survey Questions, Codebook (of Wide) and Read Me.
    """
    return connection.stream(
        "GET",
        f"/surveys/{survey_id}/simulation/{simulation_id}/responses/export.xlsx",
        query={"where": where},
    )


def list_answers(
    connection: Connection, survey_id: int, simulation_id: str, *, q: str | None = None, sort: str | None = None, order:
    str | None = None, where: list[str] | None = None
) -> list[Any]:
    """The answers of a run, as List View shows them.

    Stored answers only, by twin and survey order. Without a limit all of them, streamed.
    """
    return connection.pages(
        f"/surveys/{survey_id}/simulation/{simulation_id}/responses/formatted",
        query={"q": q, "sort": sort, "order": order, "where": where},
    )


def matrix_of_answers(
    connection: Connection, survey_id: int, simulation_id: str, *, q: str | None = None, sort: str | None = None, order:
    str | None = None, where: list[str] | None = None
) -> list[Any]:
    """The answers of a run twin by twin, as Matrix View shows them.

    A page of twins, each with one answer for every question in survey order.
    """
    return connection.pages(
        f"/surveys/{survey_id}/simulation/{simulation_id}/responses/matrix",
        query={"q": q, "sort": sort, "order": order, "where": where},
    )


def export_for_qualtrics_scripts(
    connection: Connection, survey_id: int, simulation_id: str, *, values: str | None = None, raw: bool | None = None,
    where: list[str] | None = None
) -> Response:
    """The answers of a run as Qualtrics exports responses, a row for each twin.

    With three rows of heads: names, texts and import ids. Choices are recode values, or their texts with
    `values=labels`; what was not asked, failed or was not chosen is empty. A survey that was imported from a .qsf file
    has that file's names and ids, the orders of its random nodes (`FL_4_DO`) and its fields, so that a script for
    people's responses reads twins. `TWIN_ID` is the dataset's own id of the person.
    """
    return connection.stream(
        "GET",
        f"/surveys/{survey_id}/simulation/{simulation_id}/responses/qualtrics.csv",
        query={"values": values, "raw": raw, "where": where},
    )


def export_r_script(connection: Connection, survey_id: int, simulation_id: str) -> Response:
    """An R script that opens `wide.csv?values=codes&raw=true` with its labels.

    An R script that opens `wide.csv?values=codes&raw=true` with its labels
    """
    return connection.stream("GET", f"/surveys/{survey_id}/simulation/{simulation_id}/responses/read.R")


def export_python_script(connection: Connection, survey_id: int, simulation_id: str) -> Response:
    """A Python script that opens `wide.csv?values=codes&raw=true` with its labels.

    A Python script that opens `wide.csv?values=codes&raw=true` with its labels
    """
    return connection.stream("GET", f"/surveys/{survey_id}/simulation/{simulation_id}/responses/read.py")


def export_wide_as_csv(
    connection: Connection, survey_id: int, simulation_id: str, *, values: str | None = None, raw: bool | None = None,
    where: list[str] | None = None
) -> Response:
    """The answers of a run as CSV, a row for each twin.

    The twin's attributes, then a column for each question, row of a matrix and option of a multiple choice (`name_1`,
    `name_2`, …). An answer that is missing is an empty cell. `codebook.csv` describes each column.
    """
    return connection.stream(
        "GET",
        f"/surveys/{survey_id}/simulation/{simulation_id}/responses/wide.csv",
        query={"values": values, "raw": raw, "where": where},
    )


def export_wide_for_stata(
    connection: Connection, survey_id: int, simulation_id: str, *, where: list[str] | None = None
) -> Response:
    """The answers of a run for Stata 14 or later, a row for each twin.

    With the columns of `wide.csv?values=codes`, the questions as labels of variables and the options as labels of
    codes. `.f` stands for an answer that failed or was refused, `.` for that of a twin that was not asked yet. Texts
    are whole; labels of variables have 80 characters, and a note of the variable holds a longer question in full. Names
    that Stata does not take are changed: `codebook.csv` has both.
    """
    return connection.stream(
        "GET",
        f"/surveys/{survey_id}/simulation/{simulation_id}/responses/wide.dta",
        query={"where": where},
    )


def export_wide_as_json_lines(
    connection: Connection, survey_id: int, simulation_id: str, *, values: str | None = None, raw: bool | None = None,
    where: list[str] | None = None
) -> Response:
    """The answers of a run as JSON Lines, an object for each twin.

    With the columns of `wide.csv`. An answer that is missing is null.
    """
    return connection.stream(
        "GET",
        f"/surveys/{survey_id}/simulation/{simulation_id}/responses/wide.jsonl",
        query={"values": values, "raw": raw, "where": where},
    )


def export_wide_as_parquet(
    connection: Connection, survey_id: int, simulation_id: str, *, values: str | None = None, where: list[str] | None =
    None
) -> Response:
    """The answers of a run as parquet, a row for each twin.

    With the columns of `wide.csv`: codes as whole numbers, labels as texts. The file's metadata hold the notice and the
    codebook.
    """
    return connection.stream(
        "GET",
        f"/surveys/{survey_id}/simulation/{simulation_id}/responses/wide.parquet",
        query={"values": values, "where": where},
    )


def export_wide_for_spss(
    connection: Connection, survey_id: int, simulation_id: str, *, where: list[str] | None = None
) -> Response:
    """The answers of a run for SPSS, a row for each twin.

    With the columns of `wide.csv?values=codes`, the questions as labels of variables, the options as labels of codes,
    and levels of measurement. −88 stands for an answer that failed or was refused and is declared as missing; the
    answer of a twin that was not asked yet is system-missing. Texts are cut to 32,767 bytes, labels of variables to 255
    and labels of codes to 120; the file's notes (DISPLAY DOCUMENTS) list what was cut. Names that SPSS does not take
    are changed: `codebook.csv` has both.
    """
    return connection.stream(
        "GET",
        f"/surveys/{survey_id}/simulation/{simulation_id}/responses/wide.sav",
        query={"where": where},
    )


def summarize_answers(
    connection: Connection, survey_id: int, simulation_id: str, *, by: str | None = None, where: list[str] | None = None
) -> dict[str, Any]:
    """Summary of a run's answers, question by question.

    Of stored answers only. n: twins who answered. share: count / n, so that of a multiple choice the shares of all
    options may add up to more than 1. Numbers: mean = Σx / n, sd = √(Σ(x − mean)² / (n − 1)), and bins. Matrix: the
    same for each row, where the mean takes the first label of the scale as 1, the second as 2. Free text: n and the
    answers of the first 20 twins. With `by`, groups has the same for each group of twins. With `where`, of the twins
    that pass it alone. Shares have Wilson's 95 % interval, means Student's t.

    With `by`, each question has its tests: counts by Pearson's χ², the means of two groups by Welch's t and of more by
    Welch's analysis of variance. `adjustedP` is p adjusted over the family of tests by `rule`: that of the frozen plan
    of the run's study, else Holm's at .05 over all tests of the answer.
    """
    return connection.call(
        "GET",
        f"/surveys/{survey_id}/simulation/{simulation_id}/summary",
        query={"by": by, "where": where},
    )


def list_texts(
    connection: Connection, survey_id: int, simulation_id: str, question_id: int, *, q: str | None = None, theme: str |
    None = None, by: str | None = None, group: str | None = None, limit: int | None = None, offset: int | None = None,
    where: list[str] | None = None
) -> dict[str, Any]:
    """The answers to a question in free words.

    Equal answers are counted together, the commonest first. All answers are grouped by the words that they share
    (`themes`): the word, or pair of words side by side, that most answers share names a theme and takes these answers;
    the others are counted anew, until no two share a word. Case, punctuation and common words such as `the` do not
    count. With `where`, of the twins that pass it alone.
    """
    return connection.call(
        "GET",
        f"/surveys/{survey_id}/simulation/{simulation_id}/texts",
        query={"questionId": question_id, "q": q, "theme": theme, "by": by, "group": group, "limit": limit, "offset":
        offset, "where": where},
    )


def list_studies(connection: Connection, survey_id: int) -> list[Any]:
    """The studies of a survey with their runs, newest first.

    The studies of a survey with their runs, newest first
    """
    return connection.pages(f"/surveys/{survey_id}/studies")


def start_study(
    connection: Connection, survey_id: int, body: Any, *, price: bool | None = None, idempotency_key: str | None = None
) -> dict[str, Any]:
    """Starts all runs of a study, or none: sets the credits of each aside.

    The survey must have no active run; while the study has one, no other can be started. With `?price=true` it says
    what the runs would take of credits, calls, tokens, money and time, and starts nothing; a single run is priced as a
    study of one. Sent again under the same `Idempotency-Key`, it answers the same and starts nothing.
    """
    return connection.call(
        "POST",
        f"/surveys/{survey_id}/studies",
        query={"price": price},
        headers={"Idempotency-Key": idempotency_key},
        json=body,
    )


def toggle_lock(connection: Connection, survey_id: int) -> dict[str, Any]:
    """Locks the survey's words and questions by hand, or unlocks them.

    Locks the survey's words and questions by hand, or unlocks them
    """
    return connection.call("PATCH", f"/surveys/{survey_id}/toggle-lock")


def toggle_visibility(connection: Connection, survey_id: int) -> dict[str, Any]:
    """Makes a private survey public, or a public one private.

    Makes a private survey public, or a public one private
    """
    return connection.call("PATCH", f"/surveys/{survey_id}/toggle-visibility")


def list_transactions(
    connection: Connection, *, group: int | None = None, type: str | None = None, from_: str | None = None, to: str |
    None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> list[Any]:
    """The entries that the caller sees: their own and those of groups that they own; all for a super admin.

    The entries that the caller sees: their own and those of groups that they own; all for a super admin
    """
    return connection.pages(
        "/transactions",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def create_transaction(connection: Connection, body: Any, *, idempotency_key: str | None = None) -> dict[str, Any]:
    """Adds to or sets a member's budget (the group's owner, super admin).

    Adds to or sets a member's budget (the group's owner, super admin)
    """
    return connection.call("POST", "/transactions", headers={"Idempotency-Key": idempotency_key}, json=body)


def list_all_transactions(
    connection: Connection, *, group: int | None = None, type: str | None = None, from_: str | None = None, to: str |
    None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> list[Any]:
    """Entries as in `GET /transactions`.

    Entries as in `GET /transactions`
    """
    return connection.pages(
        "/transactions/all",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def export_all_transactions(
    connection: Connection, *, group: int | None = None, type: str | None = None, from_: str | None = None, to: str |
    None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> Response:
    """The entries that the caller sees, as CSV.

    Columns: id, date, type, description, user, group, amount with its sign, effect on the budget, balance after it, and
    the run that it pays for.
    """
    return connection.stream(
        "GET",
        "/transactions/all/export.csv",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def sum_all_transactions(
    connection: Connection, *, group: int | None = None, type: str | None = None, from_: str | None = None, to: str |
    None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> dict[str, Any]:
    """Sums of the entries that the caller sees.

    Sums of the entries that the caller sees
    """
    return connection.call(
        "GET",
        "/transactions/all/stats",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def create_transactions(connection: Connection, body: Any, *, idempotency_key: str | None = None) -> list[Any]:
    """Adds to or sets several members' budgets: all of them, or none (their groups' owner, super admin).

    Adds to or sets several members' budgets: all of them, or none (their groups' owner, super admin)
    """
    return connection.call("POST", "/transactions/bulk", headers={"Idempotency-Key": idempotency_key}, json=body)


def list_transactions_of_group(
    connection: Connection, group_id: int, *, group: int | None = None, type: str | None = None, from_: str | None =
    None, to: str | None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> list[Any]:
    """The entries of a group that the caller sees: all for its owner, a member's own.

    The entries of a group that the caller sees: all for its owner, a member's own
    """
    return connection.pages(
        f"/transactions/group/{group_id}",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def group_count(
    connection: Connection, group_id: int, *, group: int | None = None, type: str | None = None, from_: str | None =
    None, to: str | None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> dict[str, Any]:
    """How many of a group's entries the caller sees.

    How many of a group's entries the caller sees
    """
    return connection.call(
        "GET",
        f"/transactions/group/{group_id}/count",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def group_stats(
    connection: Connection, group_id: int, *, group: int | None = None, type: str | None = None, from_: str | None =
    None, to: str | None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> dict[str, Any]:
    """Sums of a group's entries that the caller sees.

    Sums of a group's entries that the caller sees
    """
    return connection.call(
        "GET",
        f"/transactions/group/{group_id}/stats",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def list_transactions_of_simulation(
    connection: Connection, simulation_id: str, *, group: int | None = None, type: str | None = None, from_: str | None
    = None, to: str | None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> list[Any]:
    """Entries that a run has cost: one for its first pass, and one for each retry.

    Entries that a run has cost: one for its first pass, and one for each retry
    """
    return connection.pages(
        f"/transactions/simulation/{simulation_id}",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def list_transactions_of_own_groups(
    connection: Connection, *, group: int | None = None, type: str | None = None, from_: str | None = None, to: str |
    None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> list[Any]:
    """The entries that the caller sees of the groups that they own or belong to.

    The entries that the caller sees of the groups that they own or belong to
    """
    return connection.pages(
        "/transactions/user-groups",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def export_transactions_of_own_groups(
    connection: Connection, *, group: int | None = None, type: str | None = None, from_: str | None = None, to: str |
    None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> Response:
    """The entries that the caller sees of the groups that they own or belong to, as CSV.

    The same columns as of `/transactions/all/export.csv`.
    """
    return connection.stream(
        "GET",
        "/transactions/user-groups/export.csv",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def sum_transactions_of_own_groups(
    connection: Connection, *, group: int | None = None, type: str | None = None, from_: str | None = None, to: str |
    None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> dict[str, Any]:
    """Sums of the entries that the caller sees of the groups that they own or belong to.

    Sums of the entries that the caller sees of the groups that they own or belong to
    """
    return connection.call(
        "GET",
        "/transactions/user-groups/stats",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def list_transactions_of_user(
    connection: Connection, user_id: int, *, group: int | None = None, type: str | None = None, from_: str | None =
    None, to: str | None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> list[Any]:
    """The entries of a user that the caller sees: the caller's own, or those in groups that the caller owns.

    The entries of a user that the caller sees: the caller's own, or those in groups that the caller owns
    """
    return connection.pages(
        f"/transactions/user/{user_id}",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def user_count(
    connection: Connection, user_id: int, *, group: int | None = None, type: str | None = None, from_: str | None =
    None, to: str | None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> dict[str, Any]:
    """How many of a user's entries the caller sees.

    How many of a user's entries the caller sees
    """
    return connection.call(
        "GET",
        f"/transactions/user/{user_id}/count",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def user_stats(
    connection: Connection, user_id: int, *, group: int | None = None, type: str | None = None, from_: str | None =
    None, to: str | None = None, q: str | None = None, sort: str | None = None, order: str | None = None
) -> dict[str, Any]:
    """Sums of a user's entries that the caller sees.

    Sums of a user's entries that the caller sees
    """
    return connection.call(
        "GET",
        f"/transactions/user/{user_id}/stats",
        query={"group": group, "type": type, "from": from_, "to": to, "q": q, "sort": sort, "order": order},
    )


def show_transaction(connection: Connection, transaction_id: int) -> dict[str, Any]:
    """An entry of the ledger.

    An entry of the ledger
    """
    return connection.call("GET", f"/transactions/{transaction_id}")


def reverse_transaction(connection: Connection, transaction_id: int) -> dict[str, Any]:
    """Reverses an entry by another one (super admin).

    Nothing is erased: the entry is marked, and the one that undoes it is the answer. What runs used stays used.
    """
    return connection.call("DELETE", f"/transactions/{transaction_id}")

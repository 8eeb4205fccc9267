"""Calls the demo model through the official package. For scripts/check-anthropic-client."""

import os
import sys
import time
from typing import Literal

import anthropic
from pydantic import BaseModel, Field


class Answers(BaseModel):
    drink: Literal["Tea", "Coffee"]
    cups: int = Field(ge=3, le=5)
    reason: str | None


PROFILE = "Age: 30-49\nExtraversion = 3.4 (62nd percentile)"
QUESTION = {"role": "user", "content": "Which drink, how much, and why?"}
client = anthropic.Anthropic(base_url=os.environ["MODEL_URL"], api_key="secret", max_retries=0)


def ask(**more):
    return client.messages.create(**{"model": "twinlab-demo", "max_tokens": 2000, "messages": [QUESTION], **more})


def refused(error, **more):
    try:
        ask(**more)
    except error as caught:
        return caught
    raise AssertionError(f"{error.__name__} was expected")


def text(message):
    return next(block.text for block in message.content if block.type == "text")


def answers():
    assert [model.id for model in client.models.list()] == ["twinlab-demo"]
    parsed = client.messages.parse(
        model="twinlab-demo", max_tokens=2000, system=PROFILE, messages=[QUESTION], output_format=Answers
    )
    answers = parsed.parsed_output
    assert answers.drink in ("Tea", "Coffee") and 3 <= answers.cups <= 5 and answers.reason.startswith("Synthetic answer")
    assert parsed.stop_reason == "end_turn" and parsed.usage.input_tokens > 0 and parsed.usage.output_tokens > 0
    again = client.messages.parse(
        model="twinlab-demo", max_tokens=2000, system=PROFILE, messages=[QUESTION], output_format=Answers
    )
    assert again.parsed_output == answers

    tool = {"name": "answer", "description": "The answers", "input_schema": Answers.model_json_schema()}
    called = ask(system=PROFILE, tools=[tool], tool_choice={"type": "tool", "name": "answer"})
    assert called.stop_reason == "tool_use" and called.content[-1].name == "answer"
    assert Answers.model_validate(called.content[-1].input) == answers

    short = ask(max_tokens=4)
    assert short.stop_reason == "max_tokens" and short.usage.output_tokens == 4
    thought = ask(thinking={"type": "adaptive"}, output_config={"effort": "low"})
    assert [block.type for block in thought.content] == ["thinking", "text"]
    assert thought.usage.output_tokens_details.thinking_tokens == 128 < thought.usage.output_tokens

    bounded = {"type": "json_schema", "schema": {"type": "integer", "minimum": 1}}
    assert "minimum" in refused(anthropic.BadRequestError, output_config={"format": bounded}).message
    assert "seed" in refused(anthropic.BadRequestError, extra_body={"seed": 1}).message
    refused(anthropic.AuthenticationError, extra_headers={"x-api-key": "other"})
    try:
        client.models.retrieve("claude-unknown")
        raise AssertionError("an unknown model was found")
    except anthropic.NotFoundError as error:
        assert "twinlab-demo" in error.message
    streams()
    caches()
    batches()


def streams():
    """A reply in pieces is the whole reply."""
    asked = {"model": "twinlab-demo", "max_tokens": 2000, "system": PROFILE, "messages": [QUESTION]}
    whole = client.messages.create(**asked)
    with client.messages.stream(**asked) as stream:
        pieces = list(stream.text_stream)
        message = stream.get_final_message()
    assert len(pieces) > 1 and "".join(pieces) == text(message) == text(whole)
    assert (message.stop_reason, message.usage.output_tokens) == ("end_turn", whole.usage.output_tokens)
    # The request for a stream is itself a few bytes longer.
    assert 0 <= message.usage.input_tokens - whole.usage.input_tokens < 10
    tool = {"name": "answer", "description": "The answers", "input_schema": Answers.model_json_schema()}
    called = {"tools": [tool], "tool_choice": {"type": "tool", "name": "answer"}}
    thinking = {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}
    with client.messages.stream(**asked, **called, **thinking) as stream:
        message = stream.get_final_message()
    assert [block.type for block in message.content] == ["thinking", "tool_use"]
    assert Answers.model_validate(message.content[-1].input).drink in ("Tea", "Coffee")


def caches():
    """A persona is written once, for its life, and then read."""

    def cached(life, question, persona):
        mark = {"type": "ephemeral", "ttl": life}
        system = [{"type": "text", "text": persona, "cache_control": mark}]
        return ask(system=system, messages=[{"role": "user", "content": question}]).usage

    for life, persona in [("5m", "A " * 3000), ("1h", "B " * 3000)]:
        first, second = cached(life, "Why?", persona), cached(life, "When?", persona)
        written = first.cache_creation_input_tokens
        assert 1450 <= written <= 1550 and first.cache_read_input_tokens == 0
        lives = (first.cache_creation.ephemeral_5m_input_tokens, first.cache_creation.ephemeral_1h_input_tokens)
        assert lives == ((written, 0) if life == "5m" else (0, written))
        assert second.cache_read_input_tokens == written and second.cache_creation_input_tokens == 0
        assert second.input_tokens < 100
    assert cached("5m", "Why?", "Too short").cache_creation_input_tokens == 0


def batches():
    params = {"model": "twinlab-demo", "max_tokens": 2000, "messages": [QUESTION]}
    broken = {**params, "temperature": 7}
    requests = [{"custom_id": "a", "params": params}, {"custom_id": "b", "params": broken}]
    batch = client.messages.batches.create(requests=requests)
    for _ in range(100):
        if client.messages.batches.retrieve(batch.id).processing_status == "ended":
            break
        time.sleep(0.05)
    ended = client.messages.batches.retrieve(batch.id)
    assert (ended.request_counts.succeeded, ended.request_counts.errored, ended.request_counts.processing) == (1, 1, 0)
    assert ended.ended_at >= ended.created_at
    results = {line.custom_id: line.result for line in client.messages.batches.results(batch.id)}
    assert text(results["a"].message) == text(ask()) and results["a"].message.usage.service_tier == "batch"
    assert results["b"].type == "errored" and results["b"].error.error.type == "invalid_request_error"
    assert [listed.id for listed in client.messages.batches.list()] == [batch.id]
    assert client.messages.batches.delete(batch.id).type == "message_batch_deleted"
    try:
        client.messages.batches.create(requests=requests[:1] * 2)
        raise AssertionError("the same id was taken twice")
    except anthropic.BadRequestError:
        pass


def limits():
    raw = client.messages.with_raw_response.create(model="twinlab-demo", max_tokens=100, messages=[QUESTION])
    assert raw.headers["anthropic-ratelimit-requests-limit"] == "1"
    assert raw.headers["anthropic-ratelimit-requests-reset"].endswith("Z")
    error = refused(anthropic.RateLimitError)
    assert 55 <= int(error.response.headers["retry-after"]) <= 60
    assert error.body["error"]["type"] == "rate_limit_error"


def errors():
    assert refused(anthropic.InternalServerError).body["error"]["type"] == "api_error"


{"answers": answers, "limits": limits, "errors": errors}[sys.argv[1]]()

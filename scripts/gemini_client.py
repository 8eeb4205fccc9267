"""Calls the demo model through the official package. For scripts/check-gemini-client."""

import io
import json
import os
import sys
import time
from typing import Literal

from google import genai
from google.genai import errors as genai_errors
from google.genai import types
from pydantic import BaseModel, Field


class Answers(BaseModel):
    drink: Literal["Tea", "Coffee"]
    cups: int = Field(ge=3, le=5)
    reason: str | None


MODEL = "twinlab-demo"
PROFILE = "Age: 30-49\nExtraversion = 3.4 (62nd percentile)"
QUESTION = "Which drink, how much, and why?"


def connect(key):
    return genai.Client(api_key=key, http_options=types.HttpOptions(base_url=os.environ["MODEL_URL"]))


client = connect("secret")


def ask(model=MODEL, contents=QUESTION, **config):
    return client.models.generate_content(model=model, contents=contents, config=types.GenerateContentConfig(**config))


def refused(error, do=ask, **more):
    try:
        do(**more)
    except error as caught:
        return caught
    raise AssertionError(f"{error.__name__} was expected")


def answers():
    assert [model.name for model in client.models.list()] == [f"models/{MODEL}"]
    asked = {"system_instruction": PROFILE, "response_mime_type": "application/json"}
    parsed = ask(**asked, response_schema=Answers)
    answers = parsed.parsed
    assert answers.drink in ("Tea", "Coffee") and 3 <= answers.cups <= 5 and answers.reason.startswith("Synthetic answer")
    usage = parsed.usage_metadata
    assert usage.total_token_count == usage.prompt_token_count + usage.candidates_token_count > usage.prompt_token_count > 0
    assert parsed.candidates[0].finish_reason == types.FinishReason.STOP and parsed.model_version == MODEL
    by_json_schema = ask(**asked, response_json_schema=Answers.model_json_schema())
    assert Answers.model_validate_json(by_json_schema.text) == answers
    assert ask(**asked, response_schema=Answers).parsed == answers

    short = ask(max_output_tokens=4)
    assert short.candidates[0].finish_reason == types.FinishReason.MAX_TOKENS
    thought = ask(thinking_config=types.ThinkingConfig(thinking_level="LOW"))
    assert thought.usage_metadata.thoughts_token_count == 128 and thought.text
    assert len(ask(candidate_count=2).candidates) == 2

    error = refused(genai_errors.ClientError, response_schema=Answers)
    assert (error.code, error.status) == (400, "INVALID_ARGUMENT") and "application/json" in error.message
    other = connect("other")
    error = refused(genai_errors.ClientError, other.models.generate_content, model=MODEL, contents="Hello")
    assert error.code == 400 and error.details["error"]["details"][0]["reason"] == "API_KEY_INVALID"
    error = refused(genai_errors.ClientError, client.models.get, model="gemini-unknown")
    assert (error.code, error.status) == (404, "NOT_FOUND")
    streams()
    caches()
    batches()
    file_batches()


def streams():
    """A reply in pieces is the whole reply."""
    config = types.GenerateContentConfig(system_instruction=PROFILE)
    asked = {"model": MODEL, "contents": QUESTION, "config": config}
    whole = client.models.generate_content(**asked)
    chunks = list(client.models.generate_content_stream(**asked))
    assert len(chunks) > 1 and "".join(chunk.text or "" for chunk in chunks) == whole.text
    assert chunks[-1].candidates[0].finish_reason == types.FinishReason.STOP
    assert chunks[-1].usage_metadata.candidates_token_count == whole.usage_metadata.candidates_token_count


def caches():
    """A long prefix is read from the cache when it comes again."""
    persona = "A " * 20_000
    first, second = (ask("gemini-3.8-flash", question, system_instruction=persona) for question in ("Why?", "When?"))
    assert first.usage_metadata.cached_content_token_count is None
    assert 9_800 <= second.usage_metadata.cached_content_token_count < second.usage_metadata.prompt_token_count


def batches():
    config = types.GenerateContentConfig(system_instruction=PROFILE)
    broken = types.GenerateContentConfig(seed=5_000_000_000)
    requests = [
        types.InlinedRequest(contents=QUESTION, config=config, metadata={"key": "a"}),
        types.InlinedRequest(contents=QUESTION, config=broken, metadata={"key": "b"}),
    ]
    job = client.batches.create(model=MODEL, src=requests, config={"display_name": "drinks"})
    for _ in range(100):
        job = client.batches.get(name=job.name)
        if job.state == types.JobState.JOB_STATE_SUCCEEDED:
            break
        time.sleep(0.05)
    assert job.display_name == "drinks" and job.end_time >= job.create_time
    well, failed = job.dest.inlined_responses
    assert well.metadata == {"key": "a"} and well.response.text == ask(system_instruction=PROFILE).text
    assert failed.metadata == {"key": "b"} and failed.error.code == 400
    assert [listed.name for listed in client.batches.list()] == [job.name]
    client.batches.delete(name=job.name)
    error = refused(genai_errors.ClientError, client.batches.get, name=job.name)
    assert error.status == "NOT_FOUND"


def file_batches():
    """A batch of a file of requests gives a file of results."""
    lines = "\n".join(
        json.dumps({"key": key, "request": {"contents": [{"parts": [{"text": QUESTION}]}], **more}})
        for key, more in [("a", {}), ("b", {"generationConfig": {"seed": 5_000_000_000}})]
    )
    file = client.files.upload(file=io.BytesIO(lines.encode()), config={"mime_type": "jsonl"})
    assert client.files.get(name=file.name).size_bytes == len(lines)
    job = client.batches.create(model=MODEL, src=file.name)
    for _ in range(100):
        job = client.batches.get(name=job.name)
        if job.state == types.JobState.JOB_STATE_SUCCEEDED:
            break
        time.sleep(0.05)
    results = [json.loads(line) for line in client.files.download(file=job.dest.file_name).decode().splitlines()]
    assert [result["key"] for result in results] == ["a", "b"]
    assert results[0]["response"]["candidates"][0]["content"]["parts"][0]["text"] == ask().text
    assert results[1]["error"]["code"] == 400
    client.files.delete(name=file.name)


def limits():
    ask()
    error = refused(genai_errors.ClientError)
    assert (error.code, error.status) == (429, "RESOURCE_EXHAUSTED")
    delay = next(detail["retryDelay"] for detail in error.details["error"]["details"] if "retryDelay" in detail)
    assert 55 <= int(delay.rstrip("s")) <= 60


def errors():
    error = refused(genai_errors.ServerError)
    assert (error.code, error.status) == (500, "INTERNAL")


{"answers": answers, "limits": limits, "errors": errors}[sys.argv[1]]()

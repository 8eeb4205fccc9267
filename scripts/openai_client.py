"""Calls the demo model through the official package. For scripts/check-openai-client."""

import io
import json
import time
from typing import Literal

import openai
from pydantic import BaseModel


class Answers(BaseModel):
    drink: Literal["Tea", "Coffee"]
    cups: int
    reason: str | None


PROFILE = "Age: 30-49\nExtraversion = 3.4 (62nd percentile)"
MESSAGES = [{"role": "system", "content": PROFILE}, {"role": "user", "content": "Which drink, how much, and why?"}]
client = openai.OpenAI(max_retries=0)


def answers():
    assert [model.id for model in client.models.list()] == ["twinlab-demo"]
    assert client.models.retrieve("twinlab-demo").owned_by == "twinlab"

    parsed = client.chat.completions.parse(model="twinlab-demo", messages=MESSAGES, response_format=Answers)
    answers = parsed.choices[0].message.parsed
    assert answers.drink in ("Tea", "Coffee") and answers.reason.startswith("Synthetic answer")
    assert parsed.choices[0].finish_reason == "stop" and parsed.usage.total_tokens > parsed.usage.prompt_tokens > 0

    again = client.chat.completions.parse(model="twinlab-demo", messages=MESSAGES, response_format=Answers)
    assert again.choices[0].message.parsed == answers

    loose = client.chat.completions.create(
        model="twinlab-demo", messages=MESSAGES, response_format={"type": "json_object"}, temperature=0.5, seed=1
    )
    assert json.loads(loose.choices[0].message.content)

    plain = client.chat.completions.create(model="twinlab-demo", messages=MESSAGES, max_completion_tokens=4)
    assert plain.choices[0].finish_reason == "length" and plain.model == "twinlab-demo"

    reasoned = client.chat.completions.create(model="twinlab-demo", messages=MESSAGES, reasoning_effort="low")
    assert reasoned.usage.completion_tokens_details.reasoning_tokens == 128 < reasoned.usage.completion_tokens

    try:
        client.chat.completions.create(model="twinlab-demo", messages=MESSAGES, stream_options={"include_usage": True})
        raise AssertionError("options of a stream were taken without a stream")
    except openai.BadRequestError as error:
        assert error.param == "stream_options", error

    try:
        client.models.retrieve("gpt-4")
        raise AssertionError("an unknown model was found")
    except openai.NotFoundError as error:
        assert "twinlab-demo" in error.message


def streams():
    """A reply in pieces is the whole reply."""
    asked = {"model": "twinlab-demo", "messages": MESSAGES}
    whole = client.chat.completions.create(**asked)
    usage = {"include_usage": True}
    chunks = list(client.chat.completions.create(**asked, stream=True, stream_options=usage))
    assert len(chunks) > 4 and chunks[-1].choices == []
    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks[:-1]]
    assert "".join(pieces) == whole.choices[0].message.content
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage.completion_tokens == whole.usage.completion_tokens
    with client.chat.completions.stream(**asked, response_format=Answers) as stream:
        assert stream.get_final_completion().choices[0].message.parsed.drink in ("Tea", "Coffee")


def caches():
    """Older models find a long prefix by themselves, newer ones where it is marked, and pay for writing it."""
    persona = "A " * 6000

    def details(model, question, content, **more):
        messages = [{"role": "system", "content": content}, {"role": "user", "content": question}]
        usage = client.chat.completions.create(model=model, messages=messages, **more).usage
        return usage.prompt_tokens_details

    assert details("gpt-4.1", "Why?", persona).cached_tokens == 0
    assert details("gpt-4.1", "When?", persona).cached_tokens == 2944
    assert details("gpt-5.6", "Why?", persona).cache_write_tokens >= 3000
    assert details("gpt-5.6", "When?", persona).cached_tokens == 0
    marked = [{"type": "text", "text": persona, "prompt_cache_breakpoint": {"mode": "explicit"}}]
    only_marks = {"prompt_cache_options": {"mode": "explicit"}}
    written = details("gpt-5.6", "Where?", marked, **only_marks).cache_write_tokens
    read = details("gpt-5.6", "Who?", marked, **only_marks)
    assert read.cached_tokens == written == 3000 and read.cache_write_tokens == 0


def batches():
    body = {"model": "twinlab-demo", "messages": MESSAGES}
    line = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": body}
    lines = json.dumps(line) + "\n" + json.dumps({**line, "custom_id": "b", "body": {**body, "n": 99}})
    file = client.files.create(file=io.BytesIO(lines.encode()), purpose="batch")
    batch = client.batches.create(
        input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h", metadata={"of": "drinks"}
    )
    for _ in range(100):
        batch = client.batches.retrieve(batch.id)
        if batch.status == "completed":
            break
        time.sleep(0.05)
    assert (batch.request_counts.completed, batch.request_counts.failed) == (1, 1) and batch.metadata == {"of": "drinks"}
    result = json.loads(client.files.content(batch.output_file_id).text)
    assert result["custom_id"] == "a" and result["response"]["body"]["choices"][0]["message"]["content"]
    error = json.loads(client.files.content(batch.error_file_id).text)
    assert error["custom_id"] == "b" and error["response"]["status_code"] == 400


answers()
streams()
caches()
batches()

"""Calls the demo model through the official package. For scripts/check-openai-client."""

import json
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

try:
    client.chat.completions.create(model="twinlab-demo", messages=MESSAGES, stream=True)
    raise AssertionError("streaming was not refused")
except openai.BadRequestError as error:
    assert error.param == "stream", error

try:
    client.models.retrieve("gpt-4")
    raise AssertionError("an unknown model was found")
except openai.NotFoundError as error:
    assert "twinlab-demo" in error.message

import { AutoComplete, Input, InputNumber, Select } from 'antd';
import type { Comparison, Scalar } from '@/api/design';
import type { Question } from '@/api/types';
import { isAsked, questionTypes } from '@/question-types/questionTypes';
import { plainText } from '@/ui/piped';
import {
  comparisonOf,
  leftOf,
  readLeft,
  testNames,
  testOf,
  testsFor,
  valueOf,
  type Test,
} from './conditions';
import { answersOf, type Names } from './names';

/** The fields of a comparison: its left side, its operator and its value. */
export function ComparisonFields({
  value: comparison,
  names,
  onChange,
}: {
  value: Comparison;
  names: Names;
  onChange: (comparison: Comparison, key?: string) => void;
}) {
  const left = leftOf(comparison);
  const test = testOf(comparison);
  const value = valueOf(comparison) ?? '';
  const { kind, name, row } = readLeft(left);
  const question = kind === 'answer' ? names.questions.find((one) => one.name === name) : undefined;
  const choices = choicesOf(left, names);
  const lefts = leftsOf(names);
  const known = lefts.some(({ options }) => options.some((option) => option.value === left));
  const tests = testsFor(left, question);

  const read = (next: string) => {
    const of = readLeft(next);
    const asked = of.kind === 'answer' ? names.questions.find((one) => one.name === of.name) : undefined;
    const [first = 'is'] = testsFor(next, asked);
    const found = choicesOf(next, names)[0]?.value;
    onChange(comparisonOf(next, first, readsNumber(asked, of.row) ? 0 : (found ?? '')));
  };
  const compare = (next: Test) => {
    const one = Array.isArray(value) ? (value[0] ?? '') : value;
    onChange(comparisonOf(left, next, next === 'in' ? (one === '' ? [] : [one]) : one));
  };
  const write = (next: Scalar | Scalar[]) => onChange(comparisonOf(left, test, next), 'value');
  return (
    <>
      <Select
        size="small"
        className="comparison-left"
        aria-label="What is read"
        showSearch
        optionFilterProp="label"
        popupMatchSelectWidth={false}
        value={left}
        options={known ? lefts : [...lefts, { label: 'Not there', options: [{ value: left, label: name }] }]}
        onChange={read}
      />
      <Select
        size="small"
        aria-label="How it is compared"
        popupMatchSelectWidth={false}
        value={test}
        options={(tests.includes(test) ? tests : [test, ...tests]).map((one) => ({
          value: one,
          label: testNames[one],
        }))}
        onChange={compare}
      />
      {test === 'answered' ? (
        <span />
      ) : (
        <Value
          value={value}
          several={test === 'in'}
          isNumber={readsNumber(question, row) && !Array.isArray(value)}
          choices={choices}
          onChange={write}
        />
      )}
    </>
  );
}

const readsNumber = (question: Question | undefined, row: number | null) =>
  question !== undefined && questionTypes[question.questionType].reading(row) === 'number';

type Choice = { value: Scalar; label: string };

function Value({
  value,
  several,
  isNumber,
  choices,
  onChange,
}: {
  value: Scalar | Scalar[];
  several: boolean;
  isNumber: boolean;
  choices: Choice[];
  onChange: (value: Scalar | Scalar[]) => void;
}) {
  const label = 'With what';
  const booleans = choices.some((choice) => typeof choice.value === 'boolean');
  if (several)
    return (
      <Select
        size="small"
        mode="tags"
        aria-label={label}
        value={[value].flat() as string[]}
        options={choices as { value: string; label: string }[]}
        onChange={(next) => onChange(next)}
      />
    );
  if (booleans)
    return (
      <Select
        size="small"
        aria-label={label}
        value={value as string}
        options={choices as unknown as { value: string; label: string }[]}
        onChange={(next) => onChange(next)}
      />
    );
  if (isNumber)
    return (
      <InputNumber
        size="small"
        aria-label={label}
        value={typeof value === 'number' ? value : Number(value) || 0}
        onChange={(next) => onChange(next ?? 0)}
      />
    );
  if (choices.length === 0)
    return (
      <Input
        size="small"
        aria-label={label}
        value={String(value)}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  return (
    <AutoComplete
      size="small"
      aria-label={label}
      popupMatchSelectWidth={false}
      value={String(value)}
      options={choices as { value: string; label: string }[]}
      onChange={(next) => onChange(next)}
    />
  );
}

/** The likely values of a left side. */
function choicesOf(left: string, { questions, fields, attributes }: Names): Choice[] {
  const { kind, name, row } = readLeft(left);
  const texts = (all: readonly string[] = []) => all.map((text) => ({ value: text, label: text }));
  if (kind === 'field') return texts(fields.get(name));
  if (kind === 'twin')
    return texts(attributes.find(({ label }) => label === name)?.values.map(({ value }) => value));
  const question = questions.find((one) => one.name === name);
  return question === undefined ? [] : answersOf(question, row);
}

function leftsOf({ questions, fields, attributes }: Names) {
  const group = (label: string, options: { value: string; label: string }[]) =>
    options.length === 0 ? [] : [{ label, options }];
  return [
    ...group(
      'Answers',
      questions
        .filter(({ questionType }) => isAsked(questionType))
        .flatMap((question) => {
          const { readRows, isReadWhole } = questionTypes[question.questionType];
          const rows = readRows(question);
          const whole = {
            value: `answer:${question.name}`,
            label: `${question.name}: ${plainText(question.text)}`,
          };
          const parts = rows.map((row, index) => ({
            value: `answer:${question.name}#${index + 1}`,
            label: `${question.name}, row ${index + 1}: ${row}`,
          }));
          return isReadWhole ? [whole, ...parts] : parts;
        }),
    ),
    ...group(
      'Fields and arms',
      [...fields.keys()].map((name) => ({ value: `field:${name}`, label: name })),
    ),
    ...group(
      'Attributes of the twin',
      attributes.map(({ label }) => ({ value: `twin:${label}`, label })),
    ),
  ];
}

import { Button, Checkbox, Form, InputNumber, Select } from 'antd';
import type { QuestionLogic, Scale, Shuffle } from '@/api/design';
import type { Draft } from '@/question-types/draft';
import { YES_AND_NO } from '@/question-types/boolean';
import { hasOptions, isMatrix, questionTypes } from '@/question-types/questionTypes';
import { ConditionEditor, firstOf } from './ConditionEditor';
import type { Names } from './names';
import { OptionConditions } from './OptionConditions';

interface Props {
  draft: Draft;
  names: Names;
  onChange: (logic: QuestionLogic) => void;
}

/** When a question is asked, the order of what it offers, and how its answers count. */
export function LogicFields({ draft, names, onChange }: Props) {
  const logic = draft.logic ?? {};
  const { type } = draft;
  const { isAsked, isSeveral, reading, logic: says } = questionTypes[type];
  const write = (part: { [Field in keyof QuestionLogic]: QuestionLogic[Field] | undefined }) =>
    onChange(
      Object.fromEntries(Object.entries({ ...logic, ...part }).filter(([, value]) => value !== undefined)),
    );
  const choices = (isMatrix(type) ? draft.scaleLabels : hasOptions(type) ? draft.options : []).filter(
    (text) => text.trim() !== '',
  );
  const rows = isMatrix(type) ? draft.subQuestions.filter((text) => text.trim() !== '') : [];
  const others = { ...names, questions: names.questions.filter(({ name }) => name !== draft.name) };
  return (
    <div className="logic flush stack gap-4">
      <div>
        <Checkbox
          checked={logic.showIf !== undefined}
          onChange={(event) => write({ showIf: event.target.checked ? firstOf(others) : undefined })}
        >
          Show only if
        </Checkbox>
        {logic.showIf !== undefined && (
          <ConditionEditor
            label="Show only if"
            value={logic.showIf}
            names={others}
            onChange={(showIf) => write({ showIf })}
          />
        )}
      </div>
      {choices.length > 1 && (
        <Shuffles
          id="logic-shuffle"
          label={isMatrix(type) ? 'Order of the labels' : 'Order of the options'}
          most={choices.length}
          value={logic.shuffle}
          onChange={(shuffle) => write({ shuffle })}
        />
      )}
      {rows.length > 1 && (
        <Shuffles
          id="logic-rows"
          label="Order of the sub-questions"
          most={rows.length}
          value={logic.rowShuffle}
          onChange={(rowShuffle) => write({ rowShuffle })}
        />
      )}
      {(isShuffled(logic.shuffle) || isShuffled(logic.rowShuffle)) && (
        <Form.Item label="Keep their place" htmlFor="logic-pin" extra="For example “Other”, at the end">
          <Select
            id="logic-pin"
            mode="multiple"
            value={logic.pin ?? []}
            options={[...new Set([...choices, ...rows])].map((text) => ({ value: text, label: text }))}
            onChange={(pin) => write({ pin: pin.length === 0 ? undefined : pin })}
          />
        </Form.Item>
      )}
      {says.includes('exclusive') && choices.length > 1 && (
        <Form.Item
          label="Only alone"
          htmlFor="logic-exclusive"
          extra="Excludes the other options, as “None of these” does"
        >
          <Select
            id="logic-exclusive"
            mode="multiple"
            value={logic.exclusive ?? []}
            options={choices.map((text) => ({ value: text, label: text }))}
            onChange={(exclusive) => write({ exclusive: exclusive.length === 0 ? undefined : exclusive })}
          />
        </Form.Item>
      )}
      {choices.length + rows.length > 1 && (
        <OptionConditions
          texts={[...new Set([...choices, ...rows])]}
          value={logic.optionIf}
          names={others}
          onChange={(optionIf) => write({ optionIf })}
        />
      )}
      {says.includes('codes') && choices.length > 0 && (
        <Codes choices={choices} codes={logic.codes} onChange={(codes) => write({ codes })} />
      )}
      {says.includes('check') && (
        <AttentionCheck
          choices={reading(null) === 'boolean' ? YES_AND_NO : choices}
          several={isSeveral}
          value={logic.check}
          onChange={(check) => write({ check })}
        />
      )}
      {says.includes('scale') && (
        <Form.Item label="Scale" htmlFor="logic-scale" extra="How charts and statistics read the answers">
          <Select<Scale | ''>
            id="logic-scale"
            value={logic.scale ?? ''}
            options={[
              { value: '', label: 'As its type' },
              { value: 'nominal', label: 'Nominal: no order' },
              { value: 'ordinal', label: 'Ordinal: an order' },
              { value: 'interval', label: 'Interval: equal steps' },
            ]}
            onChange={(scale) => write({ scale: scale === '' ? undefined : scale })}
          />
        </Form.Item>
      )}
      {says.includes('reverse') && (
        <Checkbox
          checked={logic.reverse ?? false}
          onChange={(event) => write({ reverse: event.target.checked ? true : undefined })}
        >
          Reverse-keyed: high answers mean little of what is measured
        </Checkbox>
      )}
      {says.includes('reverseRows') && rows.length > 1 && (
        <Form.Item
          label="Reverse-keyed sub-questions"
          htmlFor="logic-reverse-rows"
          extra="Only diagnostics read it: twins that agree with both directions answer the form"
        >
          <Select
            id="logic-reverse-rows"
            mode="multiple"
            value={logic.reverseRows ?? []}
            options={rows.map((text) => ({ value: text, label: text }))}
            onChange={(reversed) => write({ reverseRows: reversed.length === 0 ? undefined : reversed })}
          />
        </Form.Item>
      )}
      {says.includes('desirable') && (
        <Checkbox
          checked={logic.desirable ?? false}
          onChange={(event) => write({ desirable: event.target.checked ? true : undefined })}
        >
          Desirable: it looks good to agree, which diagnostics watch
        </Checkbox>
      )}
      {isAsked && (
        <Checkbox
          checked={logic.published ?? false}
          onChange={(event) => write({ published: event.target.checked ? true : undefined })}
        >
          Published: the text was public before, so that a model may know it, which diagnostics tell
        </Checkbox>
      )}
    </div>
  );
}

const isShuffled = (shuffle: Shuffle | undefined) => shuffle !== undefined && shuffle !== 'none';

function Shuffles({
  id,
  label,
  most,
  value = 'none',
  onChange,
}: {
  id: string;
  label: string;
  most: number;
  value: Shuffle | undefined;
  onChange: (shuffle: Shuffle | undefined) => void;
}) {
  const word = typeof value === 'object' ? 'subset' : value;
  return (
    <Form.Item label={label} htmlFor={id}>
      <div className="flow-row row">
        <Select<'none' | 'all' | 'flip' | 'subset'>
          id={id}
          value={word}
          popupMatchSelectWidth={false}
          options={[
            { value: 'none', label: 'As written' },
            { value: 'all', label: 'Shuffled for each twin' },
            { value: 'flip', label: 'As written or reversed' },
            { value: 'subset', label: 'A random part, shuffled' },
          ]}
          onChange={(next) =>
            onChange(
              next === 'none' ? undefined : next === 'subset' ? { subset: Math.max(1, most - 1) } : next,
            )
          }
        />
        {typeof value === 'object' && (
          <InputNumber
            aria-label={`${label}: how many`}
            min={1}
            max={most}
            precision={0}
            value={value.subset}
            onChange={(subset) => onChange({ subset: subset ?? 1 })}
          />
        )}
      </div>
    </Form.Item>
  );
}

function Codes({
  choices,
  codes,
  onChange,
}: {
  choices: string[];
  codes: number[] | undefined;
  onChange: (codes: number[] | undefined) => void;
}) {
  const usual = choices.map((_, place) => place + 1);
  return (
    <div>
      <Checkbox
        checked={codes !== undefined}
        onChange={(event) => onChange(event.target.checked ? usual : undefined)}
      >
        Codes of its own in files
      </Checkbox>
      {codes !== undefined && (
        <div className="logic-codes stack gap-2">
          {choices.map((text, place) => (
            <label key={place}>
              <InputNumber
                size="small"
                precision={0}
                value={codes[place] ?? place + 1}
                onChange={(code) =>
                  onChange(
                    usual.map((other, index) =>
                      index === place ? (code ?? other) : (codes[index] ?? other),
                    ),
                  )
                }
              />{' '}
              {text}
            </label>
          ))}
          {codes.length !== choices.length && (
            <Button size="small" onClick={() => onChange(usual)}>
              Number them anew: the options have changed
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function AttentionCheck({
  choices,
  several,
  value,
  onChange,
}: {
  choices: string[];
  several: boolean;
  value: QuestionLogic['check'];
  onChange: (check: QuestionLogic['check']) => void;
}) {
  const options = choices.map((text) => ({ value: text, label: text }));
  const expect = (texts: string[]) => onChange({ expect: texts });
  return (
    <div>
      <Checkbox
        checked={value !== undefined}
        onChange={(event) => onChange(event.target.checked ? { expect: choices.slice(0, 1) } : undefined)}
      >
        Attention check
      </Checkbox>
      {value !== undefined && (
        <Form.Item label="Passed by" htmlFor="logic-check">
          {choices.length === 0 ? (
            <InputNumber
              id="logic-check"
              value={value.expect[0] === undefined ? null : Number(value.expect[0])}
              onChange={(number) => expect(number === null ? [] : [String(number)])}
            />
          ) : several ? (
            <Select
              id="logic-check"
              mode="multiple"
              value={value.expect}
              options={options}
              onChange={expect}
            />
          ) : (
            <Select
              id="logic-check"
              value={value.expect[0] ?? null}
              options={options}
              onChange={(text: string) => expect([text])}
            />
          )}
        </Form.Item>
      )}
    </div>
  );
}

import { Form, InputNumber, Radio, Space } from 'antd';
import type { components } from '@/api/schema';
import { answerModeNames } from '@/runs/modelOptions';

type AnswerMode = components['schemas']['AnswerMode'];
/** The kinds of answers, and several of them to one question. */
type Choice = AnswerMode | 'draws';

export interface AnswerModeOptions {
  /** Kind of answer that the twins are asked for; one answer without it. */
  answerMode?: AnswerMode;
  /** How often each question is asked; once without it. */
  draws?: number;
}

const USUAL_DRAWS = 5;

const choices: { value: Choice; name: string; says: string }[] = [
  {
    value: 'draw',
    name: answerModeNames.draw,
    says: 'The twin answers as a person would. It costs least, and says nothing about how sure the twin is.',
  },
  {
    value: 'draws',
    name: 'Several answers',
    says: 'Each question is asked so often, and the shares of the answers are stored. The prompt is paid once where the model server gives several replies to one call.',
  },
  {
    value: 'stated',
    name: answerModeNames.stated,
    says: 'The twin gives a percentage for each option, and five quantiles for numbers. Its replies are about three times as long.',
  },
  {
    value: 'tokens',
    name: answerModeNames.tokens,
    says: 'The twin answers with the letter of an option, and the model server says how probable each letter was. It costs as little as one answer, and needs a server that gives probabilities of tokens.',
  },
];

/** Choice of the kind of answer that each twin is asked for. */
export function AnswerModes({
  value: { answerMode = 'draw', draws },
  onChange,
}: {
  value: AnswerModeOptions;
  onChange: (changed: AnswerModeOptions) => void;
}) {
  const chosen: Choice = draws === undefined ? answerMode : 'draws';
  const choose = (choice: Choice) => {
    onChange(
      choice === 'draws'
        ? { answerMode: undefined, draws: USUAL_DRAWS }
        : { answerMode: choice, draws: undefined },
    );
  };
  return (
    <Form.Item
      className="start-wide"
      label="What each twin is asked for"
      extra="With a distribution, the answer is drawn from it by the seed. An answer costs one credit in each case."
    >
      <Radio.Group
        aria-label="What each twin is asked for"
        value={chosen}
        onChange={(event) => choose(event.target.value as Choice)}
      >
        <Space direction="vertical">
          {choices.map(({ value, name, says }) => (
            <Radio key={value} value={value}>
              {name} <span className="muted">{says}</span>
            </Radio>
          ))}
        </Space>
      </Radio.Group>
      {draws !== undefined && (
        <InputNumber<number>
          aria-label="Answers to each question"
          min={2}
          max={20}
          value={draws}
          onChange={(draws) => onChange({ draws: draws ?? USUAL_DRAWS })}
        />
      )}
    </Form.Item>
  );
}

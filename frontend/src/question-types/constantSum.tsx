import { useState } from 'react';
import { SumIcon } from '@/ui/icons';
import type { Answerable, QuestionKind } from './kind';
import { ofOptions, optionsOf, pick, problemOfOptions } from './parts';
import { Numbered } from './previews';

const DEFAULT_TOTAL = 100;

export const constantSum: QuestionKind = {
  ...ofOptions,
  name: 'Constant Sum',
  Icon: SumIcon,
  hint: 'Each digital twin divides the total among the options.',
  hasTotal: true,
  problemOf: (draft) =>
    problemOfOptions('Constant sum', draft) ??
    (draft.total != null && draft.total <= 0 ? 'The total must be above 0' : null),
  presets: [10, 20, DEFAULT_TOTAL].map((total) => [String(total), { total }]),
  summaryOf: (question) => `Total ${question.total ?? DEFAULT_TOTAL}: ${ofOptions.summaryOf(question)}`,
  Preview: Sum,
  sample: (question) => {
    const texts = optionsOf(question);
    const favourite = pick(texts);
    const total = question.total ?? DEFAULT_TOTAL;
    return texts.map((text) => `${text}: ${text === favourite ? total : 0}`).join(' | ');
  },
  reading: () => 'number',
  readRows: optionsOf,
  isReadWhole: false,
  chart: 'means',
  measure: { words: 'mean of each option, with 95 % CI', lowIsBest: false, ends: () => null, note: () => '' },
  slide: 'means',
  task: String.raw`sum(?:\s+(?:to\s+)?(?<total>\d+(?:\.\d+)?))?`,
};

/** Options with a place for a number each, and what they add up to. */
function Sum({ draft, name }: Answerable) {
  const [numbers, setNumbers] = useState<Record<number, number>>({});
  const total = draft.total ?? DEFAULT_TOTAL;
  const sum = Object.values(numbers).reduce((before, number) => before + number, 0);
  return (
    <ul className="stack gap-2 list">
      {draft.options.map((text, index) => (
        <Numbered
          key={index}
          text={text}
          name={name}
          field={
            <input
              className="asked-number"
              type="number"
              min={0}
              max={total}
              onChange={({ target }) => setNumbers({ ...numbers, [index]: Number(target.value) })}
            />
          }
        />
      ))}
      <li className="asked-part between asked-total small tabular">
        <span>Total</span>
        <output>
          {name === undefined ? '' : `${Math.round(sum * 1e6) / 1e6} of `}
          {total}
        </output>
      </li>
    </ul>
  );
}

import { BestWorstIcon } from '@/ui/icons';
import { Piped } from '@/ui/Piped';
import type { Answerable, QuestionKind } from './kind';
import { ofOptions, optionsOf, pick, problemOfOptions } from './parts';

export const bestWorst: QuestionKind = {
  ...ofOptions,
  name: 'Best-Worst',
  Icon: BestWorstIcon,
  hint: 'Each digital twin names the best of the options and the worst.',
  problemOf: (draft) => problemOfOptions('Best-worst', draft),
  Preview: Ends,
  sample: (question) => {
    const texts = optionsOf(question);
    const best = pick(texts);
    return `Best: ${best} | Worst: ${pick(texts.filter((text) => text !== best))}`;
  },
  logic: ['codes'],
  reading: () => 'text',
  readRows: () => ['Best', 'Worst'],
  chart: 'means',
  measure: {
    words: 'how often best less how often worst, per twin, with 95 % CI',
    lowIsBest: false,
    ends: () => [-1, 1],
    note: (share) => `${share(0)} best, ${share(2)} worst`,
  },
  slide: 'first places',
  slideLead: 'Chosen as best',
  task: 'best[- ]worst',
};

/** Options between a mark for the best and one for the worst. */
function Ends({ draft, name }: Answerable) {
  const mark = (end: string, text: string) => (
    <td aria-hidden={name === undefined}>
      {name === undefined ? (
        <span className="asked-mark asked-radio" />
      ) : (
        <input type="radio" name={`${name}-${end}`} aria-label={`${end}: ${text}`} />
      )}
    </td>
  );
  return (
    <div className="asked-matrix box tiny asked-ends-table">
      <table>
        {name === undefined && <caption className="visually-hidden">Preview</caption>}
        <thead>
          <tr>
            <th scope="col">Best</th>
            <td />
            <th scope="col">Worst</th>
          </tr>
        </thead>
        <tbody>
          {draft.options.map((text, index) => (
            <tr key={index}>
              {mark('Best', text)}
              <th scope="row">{text === '' ? '…' : <Piped text={text} />}</th>
              {mark('Worst', text)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

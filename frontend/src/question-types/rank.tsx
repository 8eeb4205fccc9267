import { RankIcon } from '@/ui/icons';
import type { Answerable, QuestionKind } from './kind';
import { ofOptions, optionsOf, problemOfOptions } from './parts';
import { Numbered } from './previews';

export const rank: QuestionKind = {
  ...ofOptions,
  name: 'Ranking',
  Icon: RankIcon,
  hint: 'Each digital twin puts all options in order, the best first.',
  problemOf: (draft) => problemOfOptions('Ranking', draft),
  Preview: Ranks,
  sample: (question) => {
    const texts = optionsOf(question);
    const start = Math.floor(Math.random() * texts.length);
    const turned = [...texts.slice(start), ...texts.slice(0, start)];
    return turned.map((text, place) => `${place + 1}: ${text}`).join(' | ');
  },
  reading: (row) => (row === null ? 'text' : 'rank'),
  readRows: optionsOf,
  chart: 'means',
  measure: {
    words: 'mean rank (1 is the best) with 95 % CI, share of first places',
    lowIsBest: true,
    ends: (options) => [1, options],
    note: (share) => `${share(0)} first`,
  },
  slide: 'first places',
  slideLead: 'Ranked first',
  task: 'rank(?:ing)?',
};

/** Options with a place for a rank each. */
function Ranks({ draft, name }: Answerable) {
  const ranks = draft.options.map((_, index) => index + 1);
  return (
    <ul className="stack gap-2 list">
      {draft.options.map((text, index) => (
        <Numbered
          key={index}
          text={text}
          name={name}
          field={
            <select className="asked-number" defaultValue="">
              <option value="" />
              {ranks.map((place) => (
                <option key={place}>{place}</option>
              ))}
            </select>
          }
        />
      ))}
    </ul>
  );
}

import type { QuestionType } from '@/api/types';
import { offered, typeName } from '@/ui/questionTypes';

const examples: Partial<Record<QuestionType, string>> = {
  SINGLE_CHOICE: '◉ ○ ○',
  MULTIPLE_CHOICE: '☑ ☑ ☐',
  MATRIX: '▦',
  SLIDER: '─●──',
  TEXT_ENTRY: 'Aa',
};

/** The type as tiles: radio buttons that look like cards. A type that is not offered shows as a tile of its own. */
export function TypeTiles({
  value,
  onChange,
}: {
  value: QuestionType;
  onChange: (type: QuestionType) => void;
}) {
  const types = offered.includes(value) ? offered : [...offered, value];
  return (
    <fieldset className="type-tiles">
      <legend>Question Type</legend>
      {types.map((type) => (
        <label key={type} className={type === value ? 'type-tile type-tile-chosen' : 'type-tile'}>
          <input
            type="radio"
            name="question-type"
            className="visually-hidden"
            checked={type === value}
            onChange={() => onChange(type)}
          />
          <span aria-hidden="true">{examples[type] ?? '…'}</span>
          {typeName(type)}
        </label>
      ))}
    </fieldset>
  );
}

import { useState, type ReactNode } from 'react';
import { Piped } from '@/ui/Piped';
import { plainText } from '@/ui/piped';
import type { Answerable } from './kind';

export function Options({
  texts,
  name,
  several,
  exclusive = [],
}: {
  texts: string[];
  name: string | undefined;
  several: boolean;
  /** Options that exclude all others. */
  exclusive?: string[];
}) {
  const kind = several ? 'checkbox' : 'radio';
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const choose = (text: string, isChosen: boolean) => {
    const others = exclusive.includes(text) ? [] : chosen.filter((one) => !exclusive.includes(one));
    setChosen(isChosen ? [...others, text] : chosen.filter((one) => one !== text));
  };
  return (
    <ul className="stack gap-2 list">
      {texts.map((text, index) => (
        <li key={index}>
          {name === undefined ? (
            <span className="asked-option gap-3 box small">
              <span className={`asked-mark asked-${kind}`} />
              <span>{text === '' ? '…' : <Piped text={text} />}</span>
            </span>
          ) : (
            <label className="asked-option gap-3 box small">
              {exclusive.length === 0 ? (
                <input type={kind} name={name} />
              ) : (
                <input
                  type={kind}
                  name={name}
                  checked={chosen.includes(text)}
                  onChange={({ target }) => choose(text, target.checked)}
                />
              )}
              <span>
                <Piped text={text} />
              </span>
            </label>
          )}
        </li>
      ))}
    </ul>
  );
}

/** An option with a field for its number; a picture of one without a name. */
export function Numbered({
  text,
  name,
  field,
}: {
  text: string;
  name: Answerable['name'];
  field: ReactNode;
}) {
  return (
    <li>
      <label className="asked-option gap-3 box small asked-part between">
        <span>{text === '' ? '…' : <Piped text={text} />}</span>
        {name === undefined ? <span className="asked-number" /> : field}
      </label>
    </li>
  );
}

/** Rows with a mark below each label. */
export function Matrix({ draft, name, several }: Answerable & { several: boolean }) {
  const named = draft.subQuestions.filter((row) => row.trim() !== '');
  const rows = named.length > 0 ? named : ['Main Question'];
  const kind = several ? 'checkbox' : 'radio';
  return (
    <div
      className="asked-matrix box tiny"
      tabIndex={name === undefined ? undefined : 0}
      role="group"
      aria-label="Scale"
    >
      <table>
        {name === undefined && <caption className="visually-hidden">Preview</caption>}
        <thead>
          <tr>
            <td />
            {draft.scaleLabels.map((label, index) => (
              <th key={index} scope="col">
                {label || '…'}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              <th scope="row">
                <Piped text={row} />
              </th>
              {draft.scaleLabels.map((label, column) => (
                <td key={column} aria-hidden={name === undefined}>
                  {name === undefined ? (
                    <span className={`asked-mark asked-${kind}`} />
                  ) : (
                    <input type={kind} name={`${name}-${index}`} aria-label={`${row}: ${label}`} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A line between two ends. */
export function Scale({ draft, name }: Answerable) {
  const { min, max, minDescription, maxDescription } = draft;
  return (
    <div className="asked-scale stack gap-2">
      {name === undefined ? (
        <span className="asked-track">
          <span className="asked-thumb" />
        </span>
      ) : (
        <input type="range" min={min ?? 0} max={max ?? 100} step={0.1} aria-label={plainText(draft.text)} />
      )}
      <div className="asked-ends gap-4 between muted tiny">
        <span>
          <b>{min ?? 'Minimum'}</b> {minDescription}
        </span>
        <span>
          <b>{max ?? 'Maximum'}</b> {maxDescription}
        </span>
      </div>
    </div>
  );
}

/** Room for words or a number. */
export function Field({ draft, name, rows }: Answerable & { rows: number }) {
  if (name === undefined)
    return <span className={rows > 1 ? 'asked-field asked-field-tall' : 'asked-field'} />;
  if (rows === 1) return <input className="asked-field" type="number" aria-label={plainText(draft.text)} />;
  return (
    <textarea
      className="asked-field asked-field-tall"
      rows={rows}
      placeholder={draft.placeholder}
      aria-label={plainText(draft.text)}
    />
  );
}

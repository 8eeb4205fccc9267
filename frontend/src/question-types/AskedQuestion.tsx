import { useState } from 'react';
import { Piped } from '@/ui/Piped';
import { plainText } from '@/ui/piped';
import { isAsked, isChoice, isMatrix, isScale } from './questionTypes';
import type { Draft } from './draft';
import './AskedQuestion.css';

/**
 * A question as a person would see it. With a `name` it can be answered, for a try: nothing is kept. Without one it is
 * a picture.
 */
export function AskedQuestion({ draft, name }: { draft: Draft; name?: string }) {
  const { type } = draft;
  return (
    <div className="asked">
      <p className="asked-text">
        {draft.text.trim() === '' ? '…' : <Piped text={draft.text} />}
        {draft.required && isAsked(type) && (
          <span className="asked-required" title="An answer is required">
            {' *'}
          </span>
        )}
      </p>
      {isChoice(type) && type !== 'MULTIPLE_CHOICE' && (
        <Options texts={draft.options} name={name} several={false} />
      )}
      {type === 'MULTIPLE_CHOICE' && (
        <Options texts={draft.options} name={name} several exclusive={draft.logic?.exclusive ?? []} />
      )}
      {type === 'BOOLEAN' && <Options texts={['Yes', 'No']} name={name} several={false} />}
      {isMatrix(type) && <Matrix draft={draft} name={name} />}
      {type === 'CONSTANT_SUM' && <Sum draft={draft} name={name} />}
      {type === 'RANK' && <Ranks draft={draft} name={name} />}
      {type === 'BEST_WORST' && <Ends draft={draft} name={name} />}
      {isScale(type) && <Scale draft={draft} name={name} />}
      {(type === 'TEXT_ENTRY' || type === 'OPENENDED') && <Field draft={draft} name={name} rows={3} />}
      {type === 'NUMBER' && <Field draft={draft} name={name} rows={1} />}
    </div>
  );
}

interface Answerable {
  draft: Draft;
  name: string | undefined;
}

function Options({
  texts,
  name,
  several,
  exclusive = [],
}: {
  texts: string[];
  name: string | undefined;
  several: boolean;
  /** Those that are chosen alone. */
  exclusive?: string[];
}) {
  const kind = several ? 'checkbox' : 'radio';
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const choose = (text: string, isChosen: boolean) => {
    const others = exclusive.includes(text) ? [] : chosen.filter((one) => !exclusive.includes(one));
    setChosen(isChosen ? [...others, text] : chosen.filter((one) => one !== text));
  };
  return (
    <ul className="asked-options">
      {texts.map((text, index) => (
        <li key={index}>
          {name === undefined ? (
            <span className="asked-option">
              <span className={`asked-mark asked-${kind}`} />
              <span>{text === '' ? '…' : <Piped text={text} />}</span>
            </span>
          ) : (
            <label className="asked-option">
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

function Matrix({ draft, name }: Answerable) {
  const named = draft.subQuestions.filter((row) => row.trim() !== '');
  const rows = named.length > 0 ? named : ['Main Question'];
  const kind = draft.type === 'MATRIX_MULTI' ? 'checkbox' : 'radio';
  return (
    <div
      className="asked-matrix"
      tabIndex={name === undefined ? undefined : 0}
      role="group"
      aria-label="Scale"
    >
      <table>
        {name === undefined && <caption>Preview</caption>}
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

/** Options with a place for a number each, and what they add up to. */
function Sum({ draft, name }: Answerable) {
  const [numbers, setNumbers] = useState<Record<number, number>>({});
  const total = draft.total ?? 100;
  const sum = Object.values(numbers).reduce((before, number) => before + number, 0);
  return (
    <ul className="asked-options">
      {draft.options.map((text, index) => (
        <li key={index}>
          <label className="asked-option asked-part">
            <span>{text === '' ? '…' : <Piped text={text} />}</span>
            {name === undefined ? (
              <span className="asked-number" />
            ) : (
              <input
                className="asked-number"
                type="number"
                min={0}
                max={total}
                onChange={({ target }) => setNumbers({ ...numbers, [index]: Number(target.value) })}
              />
            )}
          </label>
        </li>
      ))}
      <li className="asked-part asked-total">
        <span>Total</span>
        <output>
          {name === undefined ? '' : `${Math.round(sum * 1e6) / 1e6} of `}
          {total}
        </output>
      </li>
    </ul>
  );
}

/** Options with a place for a rank each. */
function Ranks({ draft, name }: Answerable) {
  const ranks = draft.options.map((_, index) => index + 1);
  return (
    <ul className="asked-options">
      {draft.options.map((text, index) => (
        <li key={index}>
          <label className="asked-option asked-part">
            <span>{text === '' ? '…' : <Piped text={text} />}</span>
            {name === undefined ? (
              <span className="asked-number" />
            ) : (
              <select className="asked-number" defaultValue="">
                <option value="" />
                {ranks.map((rank) => (
                  <option key={rank}>{rank}</option>
                ))}
              </select>
            )}
          </label>
        </li>
      ))}
    </ul>
  );
}

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
    <div className="asked-matrix asked-ends-table">
      <table>
        {name === undefined && <caption>Preview</caption>}
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

function Scale({ draft, name }: Answerable) {
  const { min, max, minDescription, maxDescription } = draft;
  return (
    <div className="asked-scale">
      {name === undefined ? (
        <span className="asked-track">
          <span className="asked-thumb" />
        </span>
      ) : (
        <input type="range" min={min ?? 0} max={max ?? 100} step={0.1} aria-label={plainText(draft.text)} />
      )}
      <div className="asked-ends">
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

function Field({ draft, name, rows }: Answerable & { rows: number }) {
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

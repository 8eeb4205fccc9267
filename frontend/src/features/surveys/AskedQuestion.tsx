import { isChoice, isScale } from '@/api/questionTypes';
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
        {draft.text.trim() === '' ? '…' : draft.text}
        {draft.required && (
          <span className="asked-required" title="An answer is required">
            {' *'}
          </span>
        )}
      </p>
      {isChoice(type) && <Options texts={draft.options} name={name} several={type === 'MULTIPLE_CHOICE'} />}
      {type === 'BOOLEAN' && <Options texts={['Yes', 'No']} name={name} several={false} />}
      {type === 'MATRIX' && <Matrix draft={draft} name={name} />}
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

function Options({ texts, name, several }: { texts: string[]; name: string | undefined; several: boolean }) {
  const kind = several ? 'checkbox' : 'radio';
  return (
    <ul className="asked-options">
      {texts.map((text, index) => (
        <li key={index}>
          {name === undefined ? (
            <span className="asked-option">
              <span className={`asked-mark asked-${kind}`} />
              <span>{text || '…'}</span>
            </span>
          ) : (
            <label className="asked-option">
              <input type={kind} name={name} />
              <span>{text}</span>
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
              <th scope="row">{row}</th>
              {draft.scaleLabels.map((label, column) => (
                <td key={column} aria-hidden={name === undefined}>
                  {name === undefined ? (
                    <span className="asked-mark asked-radio" />
                  ) : (
                    <input type="radio" name={`${name}-${index}`} aria-label={`${row}: ${label}`} />
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

function Scale({ draft, name }: Answerable) {
  const { min, max, minDescription, maxDescription } = draft;
  return (
    <div className="asked-scale">
      {name === undefined ? (
        <span className="asked-track">
          <span className="asked-thumb" />
        </span>
      ) : (
        <input type="range" min={min ?? 0} max={max ?? 100} step={0.1} aria-label={draft.text} />
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
  if (rows === 1) return <input className="asked-field" type="number" aria-label={draft.text} />;
  return (
    <textarea
      className="asked-field asked-field-tall"
      rows={rows}
      placeholder={draft.placeholder}
      aria-label={draft.text}
    />
  );
}

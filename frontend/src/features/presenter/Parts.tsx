import type { Tally } from '@/api/types';
import { count } from '@/ui/format';
import { DotField, shapeOf } from './DotField';
import { Guess } from './Guess';
import { Result } from './Result';
import { Shares } from './Shares';
import { percent, shareOf, targetOf, verdictOn, type Target } from './slides';

/** A guess in percent, and what it was off by. */
const guessed = (guess: number | undefined, share: number) =>
  guess === undefined ? undefined : { of: `${guess} %`, verdict: verdictOn(guess, share * 100, 'points') };

/** Each dot a twin: a guess of how many gave an answer, then all in the colours of their answers. */
export function Parts({
  parts,
  agreeing,
  colors,
  twins,
  chosen,
  revealed,
  guess,
  onGuess,
  onChoose,
}: {
  parts: readonly Tally[];
  /** The answers that agree with a statement. */
  agreeing: readonly string[];
  /** A colour for each of them. */
  colors: readonly string[];
  /** The number of twins of the run, answered or not. */
  twins: number;
  /** The answer that is guessed, unless the scale says it. */
  chosen: string | undefined;
  revealed: boolean;
  guess: number | undefined;
  onGuess: (percent: number) => void;
  onChoose: (value: string) => void;
}) {
  const target = targetOf({ parts, agreeing }, chosen);
  const answered = parts.reduce((sum, { count }) => sum + count, 0);
  const filled = twins > 0 ? Math.min(1, answered / twins) : 0;
  const shape = { '--shape': shapeOf(Math.max(1, twins)) };
  if (!revealed) {
    const shown = guess ?? 50;
    const ringed = Math.round((twins * shown) / 100);
    return (
      <>
        <div className="field" style={shape}>
          <Choices parts={parts} target={target} onChoose={onChoose} />
          <div className="field-dots">
            <DotField
              twins={twins}
              parts={[
                { key: 'guess', count: ringed, color: 'var(--brand)', ring: true },
                { key: 'rest', count: twins - ringed, color: 'var(--line)' },
              ]}
            />
            <Guess
              value={shown}
              min={0}
              max={100}
              step={1}
              unit="%"
              label="Guess, percent"
              onChange={onGuess}
            />
          </div>
        </div>
        <p className="presenter-ask">
          How many of {count(twins)} twins {target.words}?
        </p>
        <p className="muted">
          {target.values.length > 1 && `${target.values.join(' or ')}. `}
          Each dot is one twin; rings are your guess.
        </p>
      </>
    );
  }
  const start = startOf(parts, target);
  const share = shareOf(parts, target);
  return (
    <>
      <div className="field" style={shape}>
        <Shares parts={parts} colors={colors} filled={filled} />
        <div className="field-dots">
          <DotField
            twins={twins}
            parts={[
              ...parts.map(({ value, count }, place) => ({ key: value, count, color: colors[place] ?? '' })),
              { key: '', count: Math.max(0, twins - answered), color: 'var(--line)' },
            ]}
          />
          {guess !== undefined && (
            <Guess
              value={(start + guess / 100) * filled * 100}
              min={0}
              max={100}
              step={1}
              unit="%"
              label=""
            />
          )}
        </div>
        <div
          className="bracket"
          style={{ marginInlineStart: `${start * filled * 100}%`, inlineSize: `${share * filled * 100}%` }}
          aria-hidden="true"
        />
      </div>
      <Result guess={guessed(guess, share)}>{`${percent(share)} % ${target.words}`}</Result>
    </>
  );
}

/** The left edge of the answers that are guessed, 0 to 1. */
function startOf(parts: readonly Tally[], { values }: Target): number {
  const first = parts.findIndex(({ value }) => values.includes(value));
  return parts.slice(0, Math.max(0, first)).reduce((sum, { share }) => sum + share, 0);
}

/** Chooses the answer to guess. The room may choose another. */
function Choices({
  parts,
  target,
  onChoose,
}: {
  parts: readonly Tally[];
  target: Target;
  onChoose: (value: string) => void;
}) {
  return (
    <div className="presenter-choices" role="group" aria-label="Guess how many say">
      {parts.map(({ value }) => (
        <button
          key={value}
          type="button"
          aria-pressed={target.values.includes(value)}
          onClick={() => {
            onChoose(value);
          }}
        >
          {value}
        </button>
      ))}
    </div>
  );
}

/** The legend of the colours. */
export function Legend({ parts, colors }: { parts: readonly Tally[]; colors: readonly string[] }) {
  return (
    <ul className="presenter-legend">
      {parts.map(({ value }, place) => (
        <li key={value}>
          <span className="swatch" style={{ background: colors[place] }} />
          {value}
        </li>
      ))}
    </ul>
  );
}

/** Several answers a twin: a bar each, on one scale. */
export function Several({
  parts,
  agreeing,
  chosen,
  revealed,
  guess,
  onGuess,
  onChoose,
}: {
  parts: readonly Tally[];
  agreeing: readonly string[];
  chosen: string | undefined;
  revealed: boolean;
  guess: number | undefined;
  onGuess: (percent: number) => void;
  onChoose: (value: string) => void;
}) {
  const target = targetOf({ parts, agreeing }, chosen);
  const share = shareOf(parts, target);
  return (
    <>
      <div className="bars-wall">
        {parts.map(({ value, share }) => {
          const aimed = target.values.includes(value);
          return (
            <div key={value} className="bar-wall">
              {revealed ? (
                <span>{value}</span>
              ) : (
                <button
                  type="button"
                  aria-pressed={aimed}
                  onClick={() => {
                    onChoose(value);
                  }}
                >
                  {value}
                </button>
              )}
              <div className="bar-wall-track">
                {revealed && <div className="bar-wall-fill" style={{ inlineSize: `${share * 100}%` }} />}
                {aimed && (!revealed || guess !== undefined) && (
                  <Guess
                    value={guess ?? 50}
                    min={0}
                    max={100}
                    step={1}
                    unit="%"
                    label="Guess, percent"
                    {...(!revealed && { onChange: onGuess })}
                  />
                )}
              </div>
              <span className="bar-wall-figure">
                {revealed ? `${percent(share)} %` : aimed && `${guess ?? 50} %`}
              </span>
            </div>
          );
        })}
      </div>
      {revealed ? (
        <Result guess={guessed(guess, share)}>{`${percent(share)} % ${target.words}`}</Result>
      ) : (
        <p className="presenter-ask">How many twins {target.words}?</p>
      )}
      <p className="muted">Several answers are possible: shares may add up to more than 100 %.</p>
    </>
  );
}

import type { Bin } from '@/api/types';
import { formatShort } from '@/ui/numbers';
import { DotHistogram, dotsOfBins } from './DotField';
import { Guess } from './Guess';
import { Result } from './Result';
import { rangeOf, verdictOn } from './slides';

/** Numbers: a guess of the mean, then how many twins said how much. */
export function Figures({
  bins,
  mean,
  revealed,
  guess,
  onGuess,
}: {
  bins: readonly Bin[];
  mean: number | null;
  revealed: boolean;
  guess: number | undefined;
  onGuess: (value: number) => void;
}) {
  const range = rangeOf({ kind: 'number', bins, mean, sd: null });
  if (bins.length === 0) return <p className="presenter-ask">No answers yet</p>;
  const scale = bins.map(({ count }) => count);
  const { width, high } = dotsOfBins(scale);
  // Bins of single numbers stand in the middle of their place.
  const whole = bins.every(({ from, to }) => from === to);
  const ends = whole ? { min: range.min - 0.5, max: range.max + 0.5 } : range;
  const shown = guess ?? Math.round((range.min + range.max) / 2);
  const place = (value: number) => ((value - ends.min) / (ends.max - ends.min)) * 100;
  return (
    <>
      <div className="field" style={{ '--shape': width / high }}>
        <div className="field-dots">
          <DotHistogram counts={revealed ? scale : []} scale={scale} color="var(--brand)" />
          {revealed && mean !== null && (
            <div className="mean-line" style={{ '--at': `${place(mean)}%` }}>
              <span>mean {formatShort(mean)}</span>
            </div>
          )}
          {(!revealed || guess !== undefined) && (
            <Guess
              value={shown}
              {...ends}
              step={range.step}
              unit=""
              label="Guess of the mean"
              {...(!revealed && {
                onChange: (value: number) => {
                  onGuess(Math.min(range.max, Math.max(range.min, Math.round(value * 10) / 10)));
                },
              })}
            />
          )}
        </div>
        <div className={whole ? 'presenter-axis presenter-axis-whole' : 'presenter-axis'} aria-hidden="true">
          {whole
            ? bins.map(({ from }) => <span key={from}>{formatShort(from)}</span>)
            : [range.min, (range.min + range.max) / 2, range.max].map((edge) => (
                <span key={edge}>{formatShort(edge)}</span>
              ))}
        </div>
      </div>
      {revealed ? (
        <Result
          guess={
            guess === undefined || mean === null
              ? undefined
              : { of: formatShort(guess), verdict: verdictOn(guess, mean, 'scale') }
          }
        >
          {mean === null ? 'No answers yet' : `${formatShort(mean)} on average`}
        </Result>
      ) : (
        <p className="presenter-ask">What do the twins say on average?</p>
      )}
      <p className="muted">{revealed ? 'Each dot is one twin.' : '\u00a0'}</p>
    </>
  );
}

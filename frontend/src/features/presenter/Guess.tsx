import { useId } from 'react';

/** The line across the picture: a slider before the answers are shown, a mark after. */
export function Guess({
  value,
  min,
  max,
  step,
  unit,
  label,
  onChange,
}: {
  value: number;
  min: number;
  max: number;
  step: number;
  unit: string;
  label: string;
  /** Not to be moved any more without it. */
  onChange?: (value: number) => void;
}) {
  const id = useId();
  const at = max > min ? ((value - min) / (max - min)) * 100 : 0;
  return (
    <div className="guess" style={{ '--at': `${at}%` }}>
      <div className="guess-line" aria-hidden="true" />
      {onChange !== undefined && (
        <>
          <output className="guess-figure" htmlFor={id}>
            {value}
            {unit !== '' && <small> {unit}</small>}
          </output>
          <div className="guess-knob" aria-hidden="true">
            <span>‹ ›</span>
          </div>
          <input
            id={id}
            type="range"
            aria-label={label}
            {...{ min, max, step, value }}
            onChange={(event) => {
              onChange(Number(event.target.value));
            }}
          />
        </>
      )}
    </div>
  );
}

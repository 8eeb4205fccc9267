import './ProgressBar.css';

/** How far something has come, in percent, as a bar and as a number. */
export function ProgressBar({ label, percent }: { label: string; percent: number }) {
  const whole = Math.floor(percent);
  return (
    <div className="progress-bar">
      <progress aria-label={label} value={whole} max={100} />
      <span aria-hidden="true">{whole} %</span>
    </div>
  );
}

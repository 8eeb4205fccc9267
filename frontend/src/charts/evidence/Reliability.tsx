import { linear } from '../scale';
import { Drawing, Word } from '../svg';
import { LINE_PX } from '../text';

const MOST = 460;
const AXIS = 44;
const LEAST_RADIUS = 3;
const MOST_RADIUS = 9;

/** Forecasts of about the same probability. Shares are 0 to 1. */
export interface ReliabilityBin {
  n: number;
  forecast: number;
  observed: number;
  low: number | null;
  high: number | null;
}

/** How often what was forecast came true, across its probability, with intervals; on the diagonal as often as forecast. */
export function Reliability({
  bins,
  width,
  label,
}: {
  bins: readonly ReliabilityBin[];
  width: number;
  label: string;
}) {
  const side = Math.min(MOST, width);
  const x = linear(0, 1, AXIS, side - 10);
  const y = linear(0, 1, side - AXIS, 10);
  const most = Math.max(1, ...bins.map(({ n }) => n));
  // Areas, not diameters, are read as numbers.
  const radius = (n: number) => LEAST_RADIUS + (MOST_RADIUS - LEAST_RADIUS) * Math.sqrt(n / most);
  const words = (share: number) => `${Math.round(100 * share)} %`;
  return (
    <Drawing width={side} height={side} label={label}>
      {[0, 0.5, 1].map((share) => (
        <g key={share}>
          <line x1={x(0)} x2={x(1)} y1={y(share)} y2={y(share)} stroke="var(--line)" />
          <Word x={AXIS - 6} y={y(share)} anchor="end" text={words(share)} fill="var(--ink-soft)" />
          <line x1={x(share)} x2={x(share)} y1={y(0)} y2={y(1)} stroke="var(--line)" />
          <Word
            x={x(share)}
            y={side - AXIS + LINE_PX}
            anchor={share === 1 ? 'end' : 'middle'}
            text={words(share)}
            fill="var(--ink-soft)"
          />
        </g>
      ))}
      <line x1={x(0)} x2={x(1)} y1={y(0)} y2={y(1)} stroke="var(--ink-soft)" strokeDasharray="4 3">
        <title>As often as forecast</title>
      </line>
      {bins.map(({ n, forecast, observed, low, high }) => (
        <g key={forecast}>
          <title>{`${words(forecast)} forecast, ${words(observed)} came true${low === null || high === null ? '' : ` [${words(low)}, ${words(high)}]`}, ${n} forecasts`}</title>
          {low !== null && high !== null && (
            <line x1={x(forecast)} x2={x(forecast)} y1={y(low)} y2={y(high)} stroke="var(--ink)" />
          )}
          <circle cx={x(forecast)} cy={y(observed)} r={radius(n)} fill="var(--chart-answer)" />
        </g>
      ))}
      <Word x={(x(0) + x(1)) / 2} y={side - 8} anchor="middle" text="Forecast by the repeats" />
      <Word x={AXIS + 6} y={18} text="Came true among people" />
    </Drawing>
  );
}

import { formatInterval, wholePercent } from '@/ui/numbers';
import { AXIS_PX, Diagonal, Plot, ShareLines } from '../Plot';
import { Word } from '../svg';

const MIN_RADIUS = 3;
const MAX_RADIUS = 9;
const ENDS = [0, 1] as const;
/** Room at the right and above, in pixels. */
const ROOM = 10;

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
  const most = Math.max(1, ...bins.map(({ n }) => n));
  // Areas, not diameters, are read as numbers.
  const radius = (n: number) => MIN_RADIUS + (MAX_RADIUS - MIN_RADIUS) * Math.sqrt(n / most);
  return (
    <Plot {...{ width, label }} x={ENDS} y={ENDS} right={ROOM} top={ROOM} xTitle="Forecast by the repeats">
      {(x, y, tickY) => (
        <>
          <ShareLines from={x(0)} to={x(1)} y={y} />
          {[0, 0.5, 1].map((share) => (
            <g key={share}>
              <line x1={x(share)} x2={x(share)} y1={y(0)} y2={y(1)} stroke="var(--line)" />
              <Word
                x={x(share)}
                y={tickY}
                anchor={share === 1 ? 'end' : 'middle'}
                text={wholePercent(share)}
                fill="var(--ink-soft)"
              />
            </g>
          ))}
          <Diagonal ends={ENDS} {...{ x, y }} title="As often as forecast" />
          {bins.map(({ n, forecast, observed, low, high }) => (
            <g key={forecast}>
              <title>{wordsOf({ n, forecast, observed, low, high })}</title>
              {low !== null && high !== null && (
                <line x1={x(forecast)} x2={x(forecast)} y1={y(low)} y2={y(high)} stroke="var(--ink)" />
              )}
              <circle cx={x(forecast)} cy={y(observed)} r={radius(n)} fill="var(--chart-answer)" />
            </g>
          ))}
          <Word x={AXIS_PX + 6} y={18} text="Came true among people" />
        </>
      )}
    </Plot>
  );
}

function wordsOf({ n, forecast, observed, ...limits }: ReliabilityBin): string {
  const cameTrue = [`${wholePercent(observed)} came true`, formatInterval(limits, wholePercent)];
  return `${wholePercent(forecast)} forecast, ${cameTrue.filter(Boolean).join(' ')}, ${n} forecasts`;
}

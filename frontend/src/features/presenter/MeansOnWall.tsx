import type { QuestionType } from '@/api/types';
import { ratingsOf, type Part } from '@/charts/figures';
import { meanEnds } from '@/charts/intervals';
import { Means } from '@/charts/Means';
import { useWidth } from '@/charts/useWidth';

/** Wider walls are read from afar: what is drawn is this many times as large there. */
const WIDE = 720;
const ENLARGED = 1.8;

/** The mean of every option, of all twins and of groups. */
export function MeansOnWall({ every, type }: { every: readonly Part[]; type: QuestionType }) {
  const [width, measured] = useWidth();
  const ends = every.flatMap(({ figures }) => meanEnds(figures));
  const rows = every[0] === undefined ? [] : ratingsOf(every[0].figures).map(({ row }) => row);
  if (ends.length === 0) return <p className="presenter-ask">No answers yet</p>;
  return (
    <div className="means-wall" ref={measured}>
      {width > 0 && (
        <Means
          every={every}
          rows={rows}
          type={type}
          width={width / (width > WIDE ? ENLARGED : 1)}
          ends={[0, Math.max(...ends)]}
          label="Mean numbers"
        />
      )}
    </div>
  );
}

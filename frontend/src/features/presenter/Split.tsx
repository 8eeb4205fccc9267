import type { QuestionSummary } from '@/api/types';
import { ALL } from '@/charts/figures';
import { count } from '@/ui/format';
import { MeansOnWall } from './MeansOnWall';
import { Legend } from './Parts';
import { colorsOf, pictureOfGroup, shareOf, targetOf, type Slide } from './slides';

/** The answers by group: a bar each, on one scale. */
export function Split({
  question,
  slide,
  by,
  groups,
  chosen,
}: {
  question: QuestionSummary;
  slide: Slide;
  by: string;
  groups: readonly { value: string }[];
  chosen: string | undefined;
}) {
  const pictures = groups.map(({ value }) => ({ value, picture: pictureOfGroup(question, value, slide) }));
  const { picture } = slide;
  if (picture.kind === 'texts') return <p className="presenter-ask">Texts are not split</p>;
  if (picture.kind === 'means') {
    const parts = pictures.flatMap(({ value, picture: of }) =>
      of?.kind === 'means' ? [{ name: value, figures: of.figures }] : [],
    );
    return (
      <>
        <p className="presenter-by">by {by}</p>
        <MeansOnWall type={picture.type} every={[{ name: ALL, figures: picture.figures }, ...parts]} />
      </>
    );
  }
  const ends =
    picture.kind === 'number' ? [picture.bins[0]?.from ?? 0, picture.bins.at(-1)?.to ?? 1] : [0, 1];
  const along = (value: number) => ((value - (ends[0] ?? 0)) / ((ends[1] ?? 1) - (ends[0] ?? 0) || 1)) * 100;
  return (
    <>
      <p className="presenter-by">by {by}</p>
      {picture.kind === 'parts' && <Legend parts={picture.parts} colors={colorsOf(picture)} />}
      <div className="bars-wall">
        {pictures.map(({ value, picture: of }) => {
          if (of === undefined || of.kind === 'texts' || of.kind === 'means') return null;
          const n = of.kind === 'number' ? of.bins : of.parts;
          const answers = n.reduce((sum, each) => sum + each.count, 0);
          return (
            <div key={value} className="bar-wall">
              <span>
                {value}
                {of.kind !== 'several' && <small className="muted"> n = {count(answers)}</small>}
              </span>
              <div className="bar-wall-track">
                {of.kind === 'number' && of.mean !== null && (
                  <div className="bar-wall-fill" style={{ inlineSize: `${along(of.mean)}%` }} />
                )}
                {of.kind === 'several' && (
                  <div
                    className="bar-wall-fill"
                    style={{ inlineSize: `${100 * shareOf(of.parts, targetOf(of, chosen))}%` }}
                  />
                )}
                {of.kind === 'parts' &&
                  colorsOf(of).map((color, place) => (
                    <div
                      key={of.parts[place]?.value}
                      className="bar-wall-part"
                      style={{ background: color, inlineSize: `${100 * (of.parts[place]?.share ?? 0)}%` }}
                    />
                  ))}
              </div>
              <span className="bar-wall-figure">
                {of.kind === 'number'
                  ? (of.mean?.toFixed(2) ?? '–')
                  : `${Math.round(100 * shareOf(of.parts, targetOf(of, chosen)))} %`}
              </span>
            </div>
          );
        })}
      </div>
      {picture.kind !== 'number' && (
        <p className="presenter-ask">{capital(targetOf(picture, chosen).words)}</p>
      )}
      {picture.kind === 'number' && <p className="presenter-ask">Mean</p>}
    </>
  );
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

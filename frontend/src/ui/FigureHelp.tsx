import { Link } from 'react-router';
import { paths } from '@/paths';
import './help.css';

/** Paragraphs of `docs/evidence.md`, by their anchors. */
export const PARAGRAPHS = [
  'files-of-peoples-answers',
  'samples-that-are-kept',
  'intervals',
  'twins-beside-their-own-people',
  'twins-and-people-as-two-groups',
  'forecasts-from-repeats',
  'experiments',
  'runs-of-a-study',
  'plans',
  'ceilings-and-baselines',
  'validation',
  'questions-that-the-profiles-hold',
  'weights',
  'rectified-estimates',
  'diagnostics',
  'the-bundle-of-a-run',
  'the-bundle-of-a-study',
] as const;

export type Paragraph = (typeof PARAGRAPHS)[number];

/** Leads to the paragraph that explains figures. */
export function FigureHelp({
  about,
  children = 'What each figure means',
}: {
  about: Paragraph;
  children?: string;
}) {
  return (
    <Link className="figure-help" to={paths.evidence(about)} target="_blank">
      {children}
    </Link>
  );
}

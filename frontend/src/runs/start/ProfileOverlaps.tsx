import { Alert } from 'antd';
import { useProfileOverlaps, type ProfileOverlap } from '@/api/validation';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';

/** Questions that are shown; the rest is counted. */
const MOST = 8;

/** Says which questions of a survey the twins' profiles may answer; nothing where there are none. */
export function ProfileOverlaps({ surveyId }: { surveyId: number }) {
  const { data: overlaps = [] } = useProfileOverlaps(surveyId);
  if (overlaps.length === 0) return null;
  return (
    <Alert
      type="warning"
      role="status"
      showIcon
      title="The profiles of the twins hold questions like these: twins may repeat the answers in them."
      description={
        <>
          <ul className="alert-items stack gap-1 long-word">
            {overlaps.slice(0, MOST).map((overlap) => (
              <Overlap key={`${overlap.question} ${overlap.profileQuestion}`} of={overlap} />
            ))}
            {overlaps.length > MOST && <li>and {count(overlaps.length - MOST)} more</li>}
          </ul>
          <FigureHelp about="questions-that-the-profiles-hold">How they are found</FigureHelp>
        </>
      }
    />
  );
}

const Overlap = ({ of: { question, containment, same, profileQuestion } }: { of: ProfileOverlap }) => (
  <li>
    <code>{question}</code>:{' '}
    {same ? 'The profile holds this person’s answer' : 'Similar to a question of the profile'} (
    {Math.round(100 * containment)} % of the text): “{profileQuestion}”
  </li>
);

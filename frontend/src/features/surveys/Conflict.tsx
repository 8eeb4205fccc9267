import { Alert, Button } from 'antd';
import type { Question } from '@/api/types';
import { AskedQuestion } from '@/question-types/AskedQuestion';
import { draftOf, type Draft } from '@/question-types/draft';

/** Somebody else, or another tab, changed the question that is being written: both, and the choice between them. */
export function Conflict({
  mine,
  theirs,
  onMine,
  onTheirs,
}: {
  mine: Draft;
  /** `null`: it was deleted. */
  theirs: Question | null;
  onMine: () => void;
  onTheirs: () => void;
}) {
  return (
    <Alert
      type="warning"
      title={theirs === null ? 'This question was deleted elsewhere' : 'This question was changed elsewhere'}
      description={
        <div className="conflict">
          <div>
            <p>Yours</p>
            <AskedQuestion draft={mine} />
            <Button size="small" onClick={onMine}>
              {theirs === null ? 'Put mine back' : 'Keep mine'}
            </Button>
          </div>
          <div>
            <p>Theirs</p>
            {theirs === null ? <p className="muted">Deleted</p> : <AskedQuestion draft={draftOf(theirs)} />}
            <Button size="small" onClick={onTheirs}>
              {theirs === null ? 'Leave it deleted' : 'Take theirs'}
            </Button>
          </div>
        </div>
      }
    />
  );
}

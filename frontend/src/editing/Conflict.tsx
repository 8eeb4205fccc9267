import type { ReactNode } from 'react';
import { Alert, Button } from 'antd';
import './conflict.css';

/** Two versions of a document, and the choice between them: somebody else, or another tab, saved one meanwhile. */
export function Conflict({
  name,
  mine,
  theirs,
  onSettle,
}: {
  /** Begins the sentence, as in `This question`. */
  name: string;
  mine: ReactNode;
  /** `null`: it was deleted. */
  theirs: ReactNode | null;
  onSettle: (keepsMine: boolean) => void;
}) {
  const isGone = theirs === null;
  return (
    <Alert
      type="warning"
      className="conflict"
      title={`${name} was ${isGone ? 'deleted' : 'changed'} elsewhere`}
      description={
        <div className="conflict-sides stack gap-4">
          <section aria-label="Yours">
            <p>Yours</p>
            {mine}
            <Button size="small" onClick={() => onSettle(true)}>
              {isGone ? 'Put mine back' : 'Keep mine'}
            </Button>
          </section>
          <section aria-label="Theirs">
            <p>Theirs</p>
            {isGone ? <p className="muted">Deleted</p> : theirs}
            <Button size="small" onClick={() => onSettle(false)}>
              {isGone ? 'Leave it deleted' : 'Take theirs'}
            </Button>
          </section>
        </div>
      }
    />
  );
}

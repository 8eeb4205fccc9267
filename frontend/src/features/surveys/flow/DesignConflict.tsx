import { Alert, Button } from 'antd';
import { diffLines } from 'diff';
import type { Design } from '@/api/design';
import { written } from './json';

/** Somebody else, or another tab, saved the flow meanwhile: how the two differ, and the choice between them. */
export function DesignConflict({
  mine,
  theirs,
  onSettle,
}: {
  mine: Design;
  theirs: Design;
  onSettle: (withMine: boolean) => void;
}) {
  const parts = diffLines(`${written(theirs)}\n`, `${written(mine)}\n`);
  return (
    <Alert
      type="warning"
      className="flow-conflict"
      title="The flow was changed elsewhere"
      description={
        <>
          <div className="flow-conflict-sides">
            {([false, true] as const).map((isMine) => (
              <section key={String(isMine)} aria-label={isMine ? 'Yours' : 'Theirs'}>
                <p>{isMine ? 'Yours' : 'Theirs'}</p>
                <pre tabIndex={0}>
                  {parts
                    .filter(({ added, removed }) => !(isMine ? removed : added))
                    .map(({ value, added, removed }, index) =>
                      added || removed ? <mark key={index}>{value}</mark> : value,
                    )}
                </pre>
                <Button size="small" onClick={() => onSettle(isMine)}>
                  {isMine ? 'Keep mine' : 'Take theirs'}
                </Button>
              </section>
            ))}
          </div>
        </>
      }
    />
  );
}

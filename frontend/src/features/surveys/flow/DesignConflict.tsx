import { diffLines } from 'diff';
import type { Design } from '@/api/design';
import { Conflict } from '@/editing/Conflict';
import { written } from './json';

/** The flow as it is written here and as somebody else saved it, with the lines that differ marked. */
export function DesignConflict({
  mine,
  theirs,
  onSettle,
}: {
  mine: Design;
  theirs: Design;
  onSettle: (keepsMine: boolean) => void;
}) {
  const parts = diffLines(`${written(theirs)}\n`, `${written(mine)}\n`);
  const linesOf = (isMine: boolean) => (
    <pre tabIndex={0} className="flow-version raw-text">
      {parts
        .filter(({ added, removed }) => !(isMine ? removed : added))
        .map(({ value, added, removed }, index) =>
          added || removed ? <mark key={index}>{value}</mark> : value,
        )}
    </pre>
  );
  return <Conflict name="The flow" mine={linesOf(true)} theirs={linesOf(false)} onSettle={onSettle} />;
}

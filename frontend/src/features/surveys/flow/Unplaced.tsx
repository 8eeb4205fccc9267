import { Alert, Button } from 'antd';
import { useFlow } from './context';
import { freeName, namesIn, placed } from './nodes';
import { blocksOf, insert, withQuestions } from './tree';

/** Questions that no block asks, each with a button that puts it into the last one. */
export function Unplaced() {
  const { design, questions, readOnly, change } = useFlow();
  const there = placed(design);
  const left = questions.filter(({ name }) => !there.has(name));
  if (left.length === 0) return null;
  const last = blocksOf(design).at(-1);
  const place = (names: string[]) => {
    if (last === undefined) {
      const block = freeName('main', namesIn(design));
      change(insert(design, '/flow', design.flow.length, { block, questions: names }));
    } else change(withQuestions(design, last.at, (before) => [...before, ...names]));
  };
  return (
    <Alert
      type="warning"
      role="status"
      className="flow-unplaced"
      title={left.length === 1 ? '1 question is in no block' : `${left.length} questions are in no block`}
      description={
        <>
          <ul>
            {left.map(({ name, text }) => (
              <li key={name}>
                <span>
                  {text} <code>{name}</code>
                </span>
                {!readOnly && (
                  <Button size="small" aria-label={`Place ${name}`} onClick={() => place([name])}>
                    Place
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {!readOnly && left.length > 1 && (
            <Button size="small" onClick={() => place(left.map(({ name }) => name))}>
              Place all {last === undefined ? 'in a new block' : `in ${last.block.block}`}
            </Button>
          )}
        </>
      }
    />
  );
}

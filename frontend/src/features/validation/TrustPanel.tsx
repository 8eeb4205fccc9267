import { useId, type ReactNode } from 'react';
import { Alert, Collapse, Tag } from 'antd';
import type { Validation } from '@/api/validation';
import { FigureHelp } from '@/ui/FigureHelp';
import { count, date, sentence } from '@/ui/format';
import { ArmTable } from './ArmTable';
import { armName, measures } from './figures';
import { Repeated } from './Repeated';
import { Leaks, Verdicts } from './Verdicts';
import './validation.css';

/** How far the answers of these twins carry: verdicts, and the figures that they rest on. */
export function TrustPanel({
  of,
  arm,
  own = 'the verdicts refer to it',
  actions,
}: {
  of: Validation;
  /** The row to look at. */
  arm: string | null;
  /** Why, in words: `this run’s profile`. */
  own?: string;
  actions?: ReactNode;
}) {
  const heading = useId();
  const { arms, leaks, finished, synthetic, notice, repeats } = of;
  const verdicts = arms.find(({ key }) => key === arm)?.verdicts ?? of.verdicts;
  return (
    <section className="trust" aria-labelledby={heading}>
      <div className="trust-head row between">
        <div>
          <h2 id={heading}>How far to trust this</h2>
          <p className="muted">
            {!finished && <Tag color="processing">So far</Tag>} {provenance(of)}
          </p>
        </div>
        {actions}
      </div>
      {synthetic && <Alert type="warning" role="status" showIcon title={sentence(notice)} />}
      {leaks.length > 0 ? <Leaks of={leaks} /> : verdicts.length > 0 && <Verdicts of={verdicts} />}
      {leaks.length === 0 && verdicts.length === 0 && (
        <p className="muted">
          {finished ? 'Too little was answered for a verdict.' : 'Too little is answered for a verdict yet.'}
        </p>
      )}
      <ArmTable of={of} arm={arm} own={own} />
      {repeats != null && <Repeated of={repeats} name={armName(arms, of.headline)} />}
      <p className="muted tiny">
        {Math.round(of.level * 100)} % CI by bootstrap over people. Always: US panel, English; items unlike
        yours may do worse. <FigureHelp about="validation" />
      </p>
      <Meanings />
      {!synthetic && notice !== '' && <p className="muted tiny">{sentence(notice)}</p>}
    </section>
  );
}

/** A line on the comparison: its twins, its date and its method. */
function provenance({ createdAt, model, temperature, people, tasks, items }: Validation): string {
  const asked = tasks.reduce((sum, task) => sum + task.items, 0);
  return [
    `${items === 'quick' ? 'Quick validation' : 'Validation'} of ${date(createdAt)}`,
    `${model}, ${temperature == null ? 'its own temperature' : `temperature ${temperature}`}`,
    `${count(people)} people and their twins`,
    `${count(asked)} items in ${count(tasks.length)} ${tasks.length === 1 ? 'task' : 'tasks'}`,
  ].join(' · ');
}

function Meanings() {
  return (
    <Collapse
      size="small"
      items={[
        {
          key: 'figures',
          label: 'The figures, in a sentence each',
          children: (
            <dl className="meanings">
              {measures.map(({ key, title, meaning, about }) => (
                <div key={key}>
                  <dt>
                    <FigureHelp about={about}>{title}</FigureHelp>
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          ),
        },
      ]}
    />
  );
}

import { Fragment, type ReactNode } from 'react';
import { Collapse } from 'antd';
import type { Compared } from '@/api/types';
import { meanings } from '@/charts/evidence/figures';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';

/** The columns of each question, and the columns that were left. */
export function FileReport({
  file,
  matching,
  isOpen = false,
}: {
  file: Compared['file'];
  /** The controls that change the matching. */
  matching: ReactNode;
  /** Whether the report is open at first. */
  isOpen?: boolean;
}) {
  const { matched, unmatchedQuestions, unmatchedColumns, dropped } = file;
  const list = (title: string, items: readonly string[]) =>
    items.length > 0 && (
      <>
        <dt>{title}</dt>
        <dd>{items.join(', ')}</dd>
      </>
    );
  return (
    <Collapse
      size="small"
      defaultActiveKey={isOpen ? ['file'] : []}
      items={[
        {
          key: 'figures',
          label: 'What the figures mean',
          children: (
            <dl>
              {meanings.map(([name, meaning, about]) => (
                <Fragment key={name}>
                  <dt>
                    <FigureHelp about={about}>{name}</FigureHelp>
                  </dt>
                  <dd>{meaning}</dd>
                </Fragment>
              ))}
            </dl>
          ),
        },
        {
          key: 'file',
          label: `How the file was read: ${count(matched.length)} questions matched, ${count(unmatchedQuestions.length)} not`,
          children: (
            <>
              {matching}
              <dl>
                {list('Columns that are no question', unmatchedColumns)}
                {list(
                  'Columns that were not looked at',
                  dropped.map(({ column, reason }) => `${column} (${reason})`),
                )}
              </dl>
            </>
          ),
        },
      ]}
    />
  );
}

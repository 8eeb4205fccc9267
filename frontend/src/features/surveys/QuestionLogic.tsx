import { lazy, Suspense } from 'react';
import { Collapse } from 'antd';
import { Loading } from '@/ui/Page';
import type { Draft } from './draft';
import type { Names } from './flow/names';
import { isPlain } from './logic';

/** A chunk of its own: most questions are plain ones. */
const LogicFields = lazy(async () => ({ default: (await import('./flow/LogicFields')).LogicFields }));

/** What a design adds to a question, folded up where that is nothing. */
export function QuestionLogic({
  draft,
  names,
  onChange,
}: {
  draft: Draft;
  names: Names;
  onChange: (part: Partial<Draft>) => void;
}) {
  return (
    <Collapse
      size="small"
      {...(!isPlain(draft.logic) && { defaultActiveKey: 'logic' })}
      items={[
        {
          key: 'logic',
          label: 'Logic',
          children: (
            <Suspense fallback={<Loading />}>
              <LogicFields draft={draft} names={names} onChange={(logic) => onChange({ logic })} />
            </Suspense>
          ),
        },
      ]}
    />
  );
}

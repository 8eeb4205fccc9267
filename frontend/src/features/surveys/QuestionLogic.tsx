import { lazy, Suspense } from 'react';
import { Collapse } from 'antd';
import type { Draft } from '@/question-types/draft';
import { isPlain } from '@/question-types/logic';
import { Loading } from '@/ui/Page';
import type { Names } from './flow/names';

/** A chunk of its own: most questions are plain ones. */
const LogicFields = lazy(async () => ({ default: (await import('./flow/LogicFields')).LogicFields }));

/** The logic of a question, folded up where there is none. */
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

import { Alert, Collapse } from 'antd';
import { failed } from '@/api/client';
import { useGet } from '@/api/hooks';
import type { Simulation } from '@/api/types';
import { DataTable } from '@/ui/DataTable';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { questionColumns } from './questionColumns';

/** The people's own answers to questions that their twins' profiles hold; nothing where there are none. */
export function OwnAnswers({
  run: { surveyId, simulationId },
}: {
  run: Pick<Simulation, 'surveyId' | 'simulationId'>;
}) {
  const { data, error } = useGet(
    '/api/surveys/{surveyId}/simulation/{simulationId}/own-answers',
    { params: { path: { surveyId, simulationId } } },
    { revalidateOnFocus: false },
  );
  if (error !== undefined)
    return (
      <Alert type="error" title={failed('Failed to load what people answered in their profiles', error)} />
    );
  if (data === undefined || (data.questions.length === 0 && data.notTaken.length === 0)) return null;
  const { people, questions, notTaken } = data;
  return (
    <section aria-label="Questions that the profiles hold">
      <h2>Questions that the profiles hold</h2>
      <p className="muted">
        The profiles of these twins hold their own people’s answers to these questions. Twins repeat what they
        have read, so this says nothing of how well they predict.{' '}
        <FigureHelp about="questions-that-the-profiles-hold" />
      </p>
      {questions.length > 0 && (
        <>
          <p>{count(people)} people with their twins.</p>
          <DataTable
            rows={questions}
            rowKey="name"
            columns={questionColumns(true, false)}
            name="questions"
            size={50}
          />
        </>
      )}
      {notTaken.length > 0 && (
        <Collapse
          size="small"
          items={[
            {
              key: 'not taken',
              label: `${count(notTaken.length)} more, whose answers cannot be taken over`,
              children: (
                <ul>
                  {notTaken.map(({ name, reason, profileQuestion }) => (
                    <li key={name}>
                      <code>{name}</code>: {reason} (“{profileQuestion}”)
                    </li>
                  ))}
                </ul>
              ),
            },
          ]}
        />
      )}
    </section>
  );
}

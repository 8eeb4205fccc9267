import { Alert } from 'antd';
import { failed } from '@/api/client';
import { useValidation } from '@/api/validation';
import { Loading, Panel } from '@/ui/Page';
import { TaskChart } from './TaskChart';
import { TrustPanel } from './TrustPanel';
import { ValidationCalibration } from './ValidationCalibration';

/** The findings of a study that is a validation, partial until it is finished. */
export function StudyValidation({ studyId }: { studyId: string }) {
  const { data, error } = useValidation(studyId);
  if (data === undefined)
    return (
      <Panel>
        {error === undefined ? (
          <Loading text="Counting..." />
        ) : (
          <Alert type="error" title={failed('Failed to load the validation', error)} />
        )}
      </Panel>
    );
  return (
    <>
      <Panel>
        <TrustPanel of={data} arm={data.headline} />
      </Panel>
      {data.tasks.length > 0 && (
        <Panel>
          <TaskChart of={data} />
        </Panel>
      )}
      {data.finished && data.repeats != null && (
        <Panel title="How far repeats can be believed">
          <ValidationCalibration studyId={studyId} />
        </Panel>
      )}
    </>
  );
}

import { useState } from 'react';
import { Alert, Checkbox } from 'antd';
import { failed } from '@/api/client';
import { readOnce, useAll, useGet } from '@/api/hooks';
import { saveFile } from '@/api/saveFile';
import { useSession } from '@/api/session';
import { Dialog } from '@/ui/Dialog';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { Loading } from '@/ui/Page';
import { useDownload } from '@/ui/useDownload';
import { useControl } from './useControl';
import './bundle.css';

/** The parts that a bundle has only on request. */
export interface BundleParts {
  withPrompts?: boolean;
  withPeople?: boolean;
}

/** Downloads a bundle, and asks before what is in it only by choice. */
export function BundleDialog({
  of,
  surveyId,
  simulationId,
  fileName,
  get,
  onClose,
}: {
  of: 'run' | 'study';
  surveyId: number;
  /** The run, or one of the study. */
  simulationId: string;
  fileName: string;
  get: (parts: BundleParts) => Promise<Blob>;
  onClose: () => void;
}) {
  const [parts, setParts] = useState<BundleParts>({});
  const { isDownloading, download } = useDownload();
  const run = useGet('/api/simulations/{simulationId}', { params: { path: { simulationId } } }, readOnce);
  const control = useControl(run.data);
  const save = async () => {
    const isSaved = await download(
      async () => saveFile(await get(parts), fileName),
      'Failed to download bundle',
    );
    if (isSaved) onClose();
  };
  return (
    <Dialog
      title={of === 'run' ? 'Bundle of this run' : 'Bundle of this study'}
      busy={isDownloading}
      onClose={onClose}
      action={{ text: 'Download', onClick: () => void save() }}
    >
      <p>
        One zip with what was asked, what was answered and all tables. <code>twinlab replay</code> builds the
        tables again from it and compares them byte for byte.{' '}
        <FigureHelp about={of === 'run' ? 'the-bundle-of-a-run' : 'the-bundle-of-a-study'}>
          What is in it
        </FigureHelp>
      </p>
      {run.error !== undefined && (
        <Alert type="error" title={failed('Failed to load what the bundle may have', run.error)} />
      )}
      {run.data === undefined && run.error === undefined && <Loading />}
      {run.data?.textsMayBePassedOn === true && !control && (
        <p className="muted">
          Without the exact prompts: they are for who started the run and for the owner of its group. The
          SHA-256 of each prompt is in the bundle.
        </p>
      )}
      {run.data?.textsMayBePassedOn === true && control && (
        <div className="bundle-choice">
          <Checkbox
            checked={parts.withPrompts === true}
            onChange={(event) => setParts({ ...parts, withPrompts: event.target.checked })}
          >
            With the exact prompts, and so with the texts of the twins
          </Checkbox>
        </div>
      )}
      {run.data?.textsMayBePassedOn === false && (
        <p className="muted">
          Without the exact prompts: they hold the texts of the twins, and nobody has said whether those of “
          {run.data.personasSource}” may be passed on. The SHA-256 of each prompt is in the bundle.
        </p>
      )}
      <PeopleRows
        surveyId={surveyId}
        checked={parts.withPeople === true}
        onChange={(withPeople) => setParts({ ...parts, withPeople })}
      />
    </Dialog>
  );
}

/** Whether people's rows are passed on, which the survey's author alone decides. */
function PeopleRows({
  surveyId,
  checked,
  onChange,
}: {
  surveyId: number;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  const user = useSession();
  const params = { params: { path: { surveyId } } };
  const survey = useGet('/api/surveys/{surveyId}', params, readOnce);
  const isAuthor = user !== null && survey.data?.userId === user.id;
  const samples = useAll(isAuthor ? '/api/surveys/{surveyId}/human-samples' : null, params, {
    revalidateOnFocus: false,
  });
  const people = (samples.data ?? []).reduce((sum, sample) => sum + sample.people, 0);
  if (people === 0) return null;
  return (
    <div className="bundle-choice">
      <Checkbox checked={checked} onChange={(event) => onChange(event.target.checked)}>
        With the answers of {count(people)} people, a row a person
      </Checkbox>
      {checked ? (
        <Alert
          type="warning"
          title="Only if these people agreed to it"
          description="Readers of the bundle see what each person answered, with arm, weight and groups, and the id of the person’s twin, and may recognise somebody. Names, addresses, other ids and all columns that are no answers are left out. You answer for passing it on: look at the consent and your ethics approval first."
        />
      ) : (
        <p className="muted">Without it the bundle has counts of their answers, and no rows.</p>
      )}
    </div>
  );
}

import { Alert } from 'antd';
import { failed } from '@/api/client';
import type { Simulation } from '@/api/types';
import { useTrust, type Trust } from '@/api/validation';
import { paths } from '@/paths';
import { LinkButton, Loading } from '@/ui/Page';
import { prefillOf } from './form';
import { NotValidated } from './NotValidated';
import { TaskChart } from './TaskChart';
import { TrustPanel } from './TrustPanel';

/** How far to trust a run: what a validation of its twins found, or how to get one. */
export default function RunTrust({ run }: { run: Pick<Simulation, 'simulationId' | 'parameters'> }) {
  const { data: trust, error } = useTrust(run.simulationId);
  if (trust === undefined)
    return error === undefined ? (
      <Loading />
    ) : (
      <Alert type="error" title={failed('Failed to load how far to trust this', error)} />
    );
  const { validation, arm = null } = trust;
  if (validation == null) return <NotValidated run={run} trust={trust} />;
  return (
    <div className="run-trust">
      <TrustPanel
        of={validation}
        arm={arm}
        own="this run’s profile"
        actions={<Actions run={run} trust={trust} studyId={validation.studyId} />}
      />
      <TaskChart of={validation} />
    </div>
  );
}

function Actions({
  run: { parameters },
  trust: { canOpen, offer },
  studyId,
}: {
  run: Pick<Simulation, 'parameters'>;
  trust: Trust;
  studyId: string;
}) {
  return (
    <div className="row-actions">
      {canOpen && <LinkButton to={paths.study(studyId)}>Open the validation</LinkButton>}
      {offer != null && (
        <LinkButton to={paths.validationOf(prefillOf(parameters))}>Validate again</LinkButton>
      )}
    </div>
  );
}

import { useState } from 'react';
import { Alert, App, Button, Tag } from 'antd';
import { Link } from 'react-router';
import { api, failed } from '@/api/client';
import { refresh, useGet } from '@/api/hooks';
import { paths } from '@/paths';
import { titleOf } from '@/runs/plan/words';
import type { Study } from '@/runs/start/cells';
import { ConfirmDialog } from '@/ui/Dialog';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { LinkButton, Panel } from '@/ui/Page';
import { DeviationTable } from './DeviationTable';
import { PlanState } from './PlanState';
import './plans.css';

/** A study's plan: whether it is frozen, what it hides, and the deviations from it. */
export function StudyPlanPanel({ study }: { study: Study }) {
  const { studyId, plan: known } = study;
  const { data: plan } = useGet(known == null ? null : '/api/studies/{studyId}/plan', {
    params: { path: { studyId } },
  });
  if (known == null) return null;
  const primary = plan?.document.primaryItems ?? [];
  return (
    <Panel title="Plan">
      <div className="plan-panel">
        {known.hidden && <HiddenResults planId={known.planId} isOwner={plan?.isOwner === true} />}
        <p className="plan-facts">
          <Link to={paths.plan(known.planId)}>{titleOf(known)}</Link> <PlanState frozenAt={known.frozenAt} />
          {known.sha256 != null && <code title={known.sha256}>{known.sha256.slice(0, 12)}</code>}{' '}
          <FigureHelp about="plans">How plans work</FigureHelp>
        </p>
        {known.frozenAt != null && primary.length > 0 && (
          <p className="plan-facts">
            <Tag color="processing">Preregistered</Tag> {primary.join(', ')}; all other questions and
            contrasts are <Tag>Exploratory</Tag>
          </p>
        )}
        {plan !== undefined && plan.deviations.length > 0 && (
          <details open={plan.deviations.length <= 5}>
            <summary>
              {count(plan.deviations.length)} {plan.deviations.length === 1 ? 'deviation' : 'deviations'}
            </summary>
            <DeviationTable rows={plan.deviations} />
          </details>
        )}
      </div>
    </Panel>
  );
}

/** Says why there are no results, and what shows them. */
export function HiddenResults({ planId, isOwner }: { planId: string; isOwner: boolean }) {
  const { message } = App.useApp();
  const [asked, setAsked] = useState(false);
  const look = async () => {
    try {
      await api.post('/api/plans/{planId}/look', { params: { path: { planId } } });
      await Promise.all([refresh('/api/studies'), refresh('/api/surveys'), refresh('/api/simulations')]);
    } catch (failure) {
      void message.error(failed('Failed to show the results', failure));
    }
  };
  return (
    <>
      <Alert
        type="info"
        role="status"
        title="The results are hidden until the plan of this study is frozen."
        description={
          <>
            Only counts are shown meanwhile, so that nobody fits the plan to the answers.
            <span className="plan-actions row">
              <LinkButton size="small" to={paths.plan(planId)}>
                Open the plan
              </LinkButton>
              {isOwner && (
                <Button size="small" danger onClick={() => setAsked(true)}>
                  Look anyway…
                </Button>
              )}
            </span>
          </>
        }
      />
      {asked && (
        <ConfirmDialog
          title="Look before the plan is frozen?"
          action="Look anyway"
          onConfirm={look}
          onClose={() => setAsked(false)}
        >
          The results are shown from now on, and the plan will say for good that data were looked at before
          the freeze.
        </ConfirmDialog>
      )}
    </>
  );
}

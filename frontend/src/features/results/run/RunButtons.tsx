import { useState } from 'react';
import { App, Button } from 'antd';
import { useNavigate } from 'react-router';
import { api, failed, getAll } from '@/api/client';
import { refresh } from '@/api/hooks';
import { canContinue, canResume, canRetry, isActive } from '@/api/runs';
import type { Money, Simulation } from '@/api/types';
import { paths } from '@/paths';
import { ControlButton, controlsOf } from '@/runs/controls';
import { StopRun } from '@/runs/StopRun';
import { useControl } from '@/runs/useControl';
import { isCapped, useCost } from '@/runs/useFacts';
import { useRunActions, type RunAction } from '@/runs/useRunActions';
import { startedHere } from '@/runs/watched';
import { ConfirmDialog } from '@/ui/Dialog';
import { count } from '@/ui/format';
import { LinkButton } from '@/ui/Page';
import { useAddress } from '@/ui/titleAndAddress';
import { CostCap } from './CostCap';
import { ShareDialog } from './ShareDialog';

/** The actions on a run, for those who may control it. */
export function RunButtons({
  run,
  hidden,
  onChange,
}: {
  run: Simulation;
  /** Nobody sees its results yet. */
  hidden: boolean;
  onChange: () => void;
}) {
  const control = useControl(run);
  const { busy, act } = useRunActions(run, onChange);
  const [asked, setAsked] = useState<'stop' | 'again' | 'share' | 'cap' | null>(null);
  const facts = useCost(run);
  const again = useStartAgain(run, facts?.maxCost);
  const capped = facts !== undefined && isCapped(facts);
  const [address, change] = useAddress();
  const answered = run.successfulRequests > 0 && !hidden;
  const ended = !isActive(run.status) && answered;
  const allowed = control ? controlsOf([run]) : [];
  const goesOn = allowed.find(({ isMain }) => isMain);
  const controls = allowed.map((one) => {
    const { action, isMain, asks } = one;
    // Nothing goes on before the run may cost more: one button says so instead of all that do.
    if (!capped || !isMain) {
      const click = () => (asks ? setAsked('stop') : void act(action));
      return <ControlButton key={action} control={one} busy={busy} onClick={click} />;
    }
    return one === goesOn && <RaiseButton key={action} onClick={() => setAsked('cap')} />;
  });
  return (
    <>
      {ended && address.get('tab') !== 'charts' && (
        <Button
          type={canRetry(run) || canContinue(run) ? 'default' : 'primary'}
          onClick={() => change({ tab: 'charts' })}
        >
          View results
        </Button>
      )}
      {answered && <LinkButton to={paths.present(run.surveyId, run.simulationId)}>Present</LinkButton>}
      {ended && <LinkButton to={reportOf(run, address)}>Report</LinkButton>}
      {control && isActive(run.status) ? <div className="run-thumb">{controls}</div> : controls}
      {control && !isActive(run.status) && (
        <Button onClick={() => setAsked('again')}>Run again with the same twins</Button>
      )}
      {ended && <LinkButton to={paths.compare(run.simulationId)}>Compare</LinkButton>}
      {control && !hidden && <Button onClick={() => setAsked('share')}>Share</Button>}
      {asked === 'share' && <ShareDialog run={run} onClose={() => setAsked(null)} />}
      {asked === 'stop' && <StopRun run={run} onStop={() => act('stop')} onClose={() => setAsked(null)} />}
      {asked === 'cap' && facts?.cost != null && (
        <CostCap
          run={run}
          cost={facts.cost}
          maxCost={facts.maxCost ?? null}
          then={afterRaise(run, act)}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'again' && (
        <ConfirmDialog
          title="Run again with the same twins?"
          action={`Start for ${count(run.personaCount * run.totalQuestions)} credits`}
          onConfirm={again}
          onClose={() => setAsked(null)}
        >
          {count(run.personaCount)} twins answer the survey as it is now, with the same model, seed and
          settings.
        </ConfirmDialog>
      )}
    </>
  );
}

const RaiseButton = ({ onClick }: { onClick: () => void }) => (
  <Button type="primary" onClick={onClick}>
    Raise the cap…
  </Button>
);

/** How a run that had cost what it may goes on once it may cost more. */
function afterRaise(run: Simulation, act: (action: RunAction) => Promise<unknown>) {
  if (canResume(run.status)) return { text: 'Raise and resume', go: () => act('resume') };
  if (canContinue(run)) return { text: 'Raise and continue', go: () => act('continue') };
  return { text: 'Raise and retry', go: () => act('retry') };
}

/** The report of what is looked at: split and narrowed alike. */
function reportOf({ surveyId, simulationId }: Simulation, address: URLSearchParams): string {
  const kept = [...address].filter(([name]) => ['by', 'where', 'sort'].includes(name));
  const query = new URLSearchParams(kept).toString();
  return `${paths.report(surveyId, simulationId)}${query && `?${query}`}`;
}

/** Starts the survey once more with a run's twins and settings, and shows the new run. */
function useStartAgain(run: Simulation, maxCost: Money | null | undefined): () => Promise<void> {
  const { message } = App.useApp();
  const navigate = useNavigate();
  return async () => {
    const { model, seed, questionsPerCall, personaVariant, shuffleOptions, temperature, batch, keepReplies } =
      run.parameters;
    const { reasoningEffort, verbosity, serviceTier, answerMode, draws, lenient } = run.parameters;
    try {
      const twins = await getAll('/api/simulations/{simulationId}/personas', {
        params: { path: { simulationId: run.simulationId } },
      });
      const started = await api.post('/api/simulations/survey/{surveyId}/start', {
        params: { path: { surveyId: run.surveyId } },
        body: {
          personaCount: twins.length,
          isRandomSelection: false,
          selectedPersonaIds: twins.map(({ personaId }) => personaId),
          ...{ seed, questionsPerCall, personaVariant, shuffleOptions },
          ...(!run.demoModel && { model }),
          ...(batch === true && { batch }),
          ...(keepReplies === true && { keepReplies }),
          ...(reasoningEffort != null && { reasoningEffort }),
          ...(verbosity != null && { verbosity }),
          ...(serviceTier != null && { serviceTier }),
          ...(answerMode != null && { answerMode }),
          ...(draws != null && { draws }),
          ...(lenient === true && { lenient }),
          ...(temperature != null && { temperature }),
          ...(maxCost != null && { maxCost: Number(maxCost.amount) }),
        },
      });
      startedHere(started.simulationId);
      void refresh('/api/surveys');
      void navigate(paths.responses(run.surveyId, started.simulationId));
    } catch (error) {
      void message.error(failed('Failed to start simulation', error));
    }
  };
}

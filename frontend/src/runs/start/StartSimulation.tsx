import { useId, useState } from 'react';
import { Alert, Button, Form } from 'antd';
import { useNavigate } from 'react-router';
import { api, ApiError, failed } from '@/api/client';
import { readOnce, useGet } from '@/api/hooks';
import { attributesQuery } from '@/api/personas';
import { usePrice } from '@/api/prices';
import { session } from '@/api/session';
import { paths } from '@/paths';
import { Dialog } from '@/ui/Dialog';
import { Loading } from '@/ui/Page';
import { useSettled } from '@/ui/useSettled';
import { startedHere } from '../watched';
import type { StudyPlan } from '../plan/form';
import { byPlan, PlanChoice, plannedChoice } from '../plan/PlanChoice';
import { cellName, isStudy, SINGLE_RUN, studyToSend, type Choice, type Study } from './cells';
import { StudyFields } from './StudyFields';
import { PriceList } from './PriceList';
import { ProfileOverlaps } from './ProfileOverlaps';
import { Advanced, parametersToSend, DEFAULT_PARAMETERS, type Parameters } from './Advanced';
import { BatchField } from './BatchField';
import { defaultCount } from './selection';
import { TwinChoice } from './TwinChoice';
import { chosenOf, twinsToSend, DEFAULT_CHOICE, type Draft, type Known } from './twins';
import './StartSimulation.css';

/** Twins that are enough to see whether the questions are understood. */
const PILOT = 10;
/** How many of the caller's runs are looked at. */
const RUNS = 100;
const SEEDS = 2 ** 31;

/** Why a survey cannot be simulated. */
function unable(reason: string | null | undefined): string {
  const sentence = 'Survey cannot be simulated';
  return reason ? failed(sentence, new ApiError(409, reason)) : sentence;
}

/** Asks whom to interview, and how, and starts the simulation. */
export function StartSimulation({
  surveyId,
  title,
  onClose,
  onStarted,
}: {
  surveyId: number;
  title: string;
  onClose: () => void;
  onStarted: () => void;
}) {
  const form = useId();
  const path = { surveyId };
  const config = useGet('/api/surveys/{surveyId}/simulation-config', { params: { path } }, readOnce);
  // Only for the default count: a simulation can be started without the settings.
  const settings = useGet('/api/auth/settings', {}, readOnce);
  // To ask the same twins: a simulation can be started without them.
  const lastRuns = useGet('/api/simulations', { params: { query: { limit: RUNS } } }, readOnce).data ?? [];
  /** The parameters that the user changed. */
  const [changed, setChanged] = useState<Partial<Draft>>({});
  const [parameters, setParameters] = useState<Parameters>(DEFAULT_PARAMETERS);
  const [choice, setChoice] = useState<Choice>(SINGLE_RUN);
  const [plan, setPlan] = useState<StudyPlan | null>(null);
  const navigate = useNavigate();
  const [typedSeed, setTypedSeed] = useState<number | null>(null);
  // The price and the start of a study draw the same twins.
  const [ownSeed] = useState(() => Math.floor(Math.random() * SEEDS));
  const [starting, setStarting] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // The server starts once for one dialog, however often the button is clicked.
  const [idempotencyKey] = useState(() => crypto.randomUUID());

  const notLoaded = config.error !== undefined && config.data === undefined && !config.isValidating;
  const found = settings.isLoading ? undefined : config.data;
  const total = found?.totalPersonas ?? 0;
  const affordable = found?.maxPersonas ?? 0;
  const draft: Draft = {
    ...DEFAULT_CHOICE,
    count: defaultCount(total, affordable, settings.data?.defaultDigitalTwins),
    ...changed,
  };
  const known: Known = {
    total,
    lastId: found?.lastPersonaId ?? 0,
    missingIds: found?.missingPersonaIds ?? [],
    ...useTwinsOf(draft),
  };
  const chosen = chosenOf(draft, known);
  const { personas } = chosen;
  const change = (further: Partial<Draft>) => setChanged((before) => ({ ...before, ...further }));

  const study = isStudy(choice) || plan !== null;
  /** The parameters of the start. A seed of `null` is drawn by the server. */
  const runOf = async (count: number, seed: number | null, own: Parameters) => {
    return {
      ...(await twinsToSend(draft, known, count)),
      ...(seed !== null && { seed }),
      ...parametersToSend(own),
    };
  };
  /** The study that is started: of several runs or of a single one. */
  const ofStudy = async () => ({
    run: {
      ...(await runOf(personas, typedSeed ?? ownSeed, parameters)),
      ...(plan !== null && { shuffleOptions: parameters.shuffle }),
    },
    ...studyToSend(choice),
    ...(plan !== null && byPlan(plan, choice, parameters)),
  });
  const choosePlan = (chosenPlan: StudyPlan | null) => {
    setPlan(chosenPlan);
    if (chosenPlan === null) return;
    const planned = plannedChoice(chosenPlan);
    setChoice(planned.choice);
    setTypedSeed(planned.seed);
    setParameters((before) => ({
      ...before,
      questionsPerCall: planned.questionsPerCall ?? before.questionsPerCall,
      shuffle: planned.shuffle ?? before.shuffle,
    }));
    if (planned.count !== null) change({ kind: 'random', count: planned.count });
  };
  const hasQuestions = found !== undefined && found.questionCount > 0;
  const asked = [draft, personas, typedSeed, parametersToSend(parameters), studyToSend(choice), plan?.planId];
  const priceKey = useSettled(hasQuestions && personas > 0 ? JSON.stringify(asked) : null);
  const { data: price, error: unpriced } = usePrice(surveyId, priceKey, ofStudy);
  const affords =
    price === undefined ? !study && personas <= affordable : price.credits <= (price.available ?? 0);

  const start = async (count: number, pilot: boolean) => {
    const user = session();
    if (user === null || user.id === null) {
      setError(user === null ? 'Cannot start simulation' : 'Invalid authentication token');
      return;
    }
    setStarting(true);
    setError(null);
    try {
      const headers = { 'Idempotency-Key': pilot ? `${idempotencyKey}-pilot` : idempotencyKey };
      if (study && !pilot) {
        const body = await ofStudy();
        const made = await api.post('/api/surveys/{surveyId}/studies', { params: { path }, headers, body });
        const { studyId, runs } = made as Study;
        startedHere(...runs.map(({ simulationId }) => simulationId));
        void navigate(paths.study(studyId));
        return;
      }
      const name = parameters.name.trim();
      const own = pilot ? { ...parameters, name: name === '' ? 'Pilot' : name } : parameters;
      const started = await api.post('/api/simulations/survey/{surveyId}/start', {
        params: { path },
        headers,
        body: { userId: user.id, ...(await runOf(count, typedSeed, own)) },
      });
      startedHere(started.simulationId);
      onStarted();
    } catch (failure) {
      setError(failed('Failed to start simulation', failure));
      setStarting(false);
    }
  };
  /** Asks no more than that. */
  const afford = (count: number) =>
    change({ count, ...(draft.kind === 'all' && { kind: 'random' as const }) });
  const adjustable = draft.kind !== 'ids' && draft.kind !== 'run' && draft.shape !== 'own';
  const asks = hasQuestions && found.canSimulate;

  return (
    <Dialog
      title="Start Simulation"
      size="lg"
      busy={starting}
      onClose={onClose}
      {...(found !== undefined &&
        total > 0 && {
          action: {
            text: study ? 'Start Study' : 'Start Simulation',
            busyText: 'Starting...',
            disabled: !asks || personas === 0 || !affords,
            form,
            also: {
              text: `Pilot with ${PILOT} first`,
              disabled: !asks || personas <= PILOT || affordable < PILOT,
              onClick: () => void start(PILOT, true),
            },
          },
        })}
    >
      <p className="muted start-survey">{title}</p>
      {found === undefined && !notLoaded && <Loading />}
      {notLoaded && (
        <Alert
          type="error"
          title={failed('Failed to load simulation data', config.error)}
          action={
            <Button size="small" onClick={() => void config.mutate()}>
              Retry
            </Button>
          }
        />
      )}
      {found !== undefined && total === 0 && (
        <Alert type="error" title="No digital twins are available. Please contact the administrator." />
      )}
      {found !== undefined && total > 0 && (
        <Form id={form} layout="vertical" className="start-form" onFinish={() => void start(personas, false)}>
          {!asks && (
            <Alert
              type="warning"
              role="status"
              title={unable(found.questionCount === 0 ? 'Survey has no questions' : found.reason)}
            />
          )}
          {error !== null && <Alert type="error" title={error} />}
          <ProfileOverlaps surveyId={surveyId} />
          <PlanChoice surveyId={surveyId} plan={plan} onChange={choosePlan} />
          <TwinChoice
            draft={draft}
            known={known}
            chosen={chosen}
            seed={typedSeed}
            lastRuns={lastRuns}
            onChange={change}
            onSeed={setTypedSeed}
          />
          <Advanced
            config={found}
            parameters={parameters}
            onChange={(further) => setParameters((before) => ({ ...before, ...further }))}
          />
          <StudyFields
            surveyId={surveyId}
            config={found}
            choice={choice}
            onChange={(further) => setChoice((before) => ({ ...before, ...further }))}
          />
          <BatchField
            value={parameters.batch}
            onChange={(batch) => setParameters((before) => ({ ...before, batch }))}
          />
          {asks && unpriced !== undefined && (
            <Alert type="error" title={failed(`Cannot start ${study ? 'study' : 'simulation'}`, unpriced)} />
          )}
          {hasQuestions && price !== undefined && unpriced === undefined && (
            <PriceList
              price={price}
              nameOf={(run) => cellName(run, price.runs)}
              onAfford={adjustable ? afford : undefined}
            />
          )}
        </Form>
      )}
    </Dialog>
  );
}

/** The attributes of the twins, how many have those of the draft, and the proposal for its quotas. */
function useTwinsOf({
  kind,
  where,
  label,
  shape,
  count,
}: Draft): Pick<Known, 'pool' | 'attributes' | 'proposal'> {
  const asked = kind === 'attributes' || kind === 'quotas';
  const attributes = useGet(asked ? '/api/personas/attributes' : null, {}, readOnce);
  const pool = useGet(
    kind === 'attributes' ? '/api/personas/count' : null,
    { params: { query: attributesQuery(where) } },
    { ...readOnce, keepPreviousData: true },
  );
  const shares = shape === 'own' ? null : shape;
  const proposal = useGet(
    kind === 'quotas' && label !== null && shares !== null ? '/api/personas/quotas' : null,
    { params: { query: { attribute: label ?? '', n: count, shares: shares ?? 'proportional' } } },
    { ...readOnce, keepPreviousData: true },
  );
  return { attributes: attributes.data ?? [], pool: pool.data?.count, proposal: proposal.data };
}

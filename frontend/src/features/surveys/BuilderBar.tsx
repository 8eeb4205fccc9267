import { lazy, Suspense, useState } from 'react';
import { App, Button } from 'antd';
import { useNavigate } from 'react-router';
import type { Design } from '@/api/design';
import { useGet } from '@/api/hooks';
import { usePrice, type StudyPrice } from '@/api/prices';
import type { Question, Survey } from '@/api/types';
import { saveStateText } from '@/editing/saveState';
import { paths } from '@/paths';
import { isAsked } from '@/question-types/questionTypes';
import { costText, timeText } from '@/runs/start/priceTexts';
import { count } from '@/ui/format';
import { RedoIcon, UndoIcon } from '@/ui/icons';
import { MOD } from '@/ui/keys';
import { SurveyPreview } from './SurveyPreview';
import type { QuestionStore } from './useQuestions';
import './BuilderBar.css';

/** Chunks of their own: a first visit reads and writes. */
const AskOneTwin = lazy(async () => ({ default: (await import('./AskOneTwin')).AskOneTwin }));
const StartSimulation = lazy(async () => ({
  default: (await import('@/runs/start/StartSimulation')).StartSimulation,
}));

/** The number of twins that the bar prices the survey by; all of them if there are fewer. */
const TWINS = 100;

type Shown = 'preview' | 'ask' | 'start';

/** Stays at the lower edge: how the survey stands, what it costs, and the ways on. */
export function BuilderBar({
  survey,
  questions,
  store,
  design,
  readOnly,
  others,
  onLeave,
}: {
  survey: Survey;
  questions: Question[];
  store: QuestionStore;
  design: Design | undefined;
  readOnly: boolean;
  /** Somebody else's: only its author starts it. */
  others: boolean;
  /** Called before the page is left, so that what is being written is saved first. */
  onLeave: () => void;
}) {
  const [shown, setShown] = useState<Shown | null>(null);
  const params = { path: { surveyId: survey.id } };
  const config = useGet('/api/surveys/{surveyId}/simulation-config', { params }).data;
  const asked = questions.filter(({ questionType }) => isAsked(questionType));
  const n = asked.length;
  const hasFlow = design !== undefined && design.flow.length > 0;
  const twins = Math.min(TWINS, config?.totalPersonas ?? 0);
  const isPriced = !others && n > 0 && twins > 0;
  const price = usePrice(survey.id, isPriced ? String(twins) : null, () =>
    Promise.resolve({ run: { personaCount: twins, isRandomSelection: true, seed: 1 } }),
  );
  const show = (what: Shown) => {
    onLeave();
    setShown(what);
  };
  const close = () => setShown(null);
  const empty = n === 0 ? 'Add a question first' : undefined;
  return (
    <section className="builder-bar row between" aria-label="Survey">
      <p className="builder-facts row muted small">
        <strong>{n === 1 ? '1 question' : `${count(n)} questions`}</strong>
        {isPriced && price.data !== undefined && price.error === undefined && (
          <PriceFacts price={price.data} most={hasFlow} />
        )}
      </p>
      {!readOnly && <Steps store={store} onLeave={onLeave} />}
      <div className="builder-ways">
        <Button disabled={n === 0} title={empty} onClick={() => show('preview')}>
          Preview
        </Button>
        {!others && (
          <>
            <Button disabled={n === 0} title={empty} onClick={() => show('ask')}>
              Ask one twin
            </Button>
            <Button type="primary" disabled={n === 0} title={empty} onClick={() => show('start')}>
              Start
            </Button>
          </>
        )}
      </div>
      {shown === 'preview' && (
        <SurveyPreview
          title={survey.title}
          description={survey.description}
          questions={questions}
          onClose={close}
        />
      )}
      {shown === 'ask' && (
        <Suspense>
          <AskOneTwin
            survey={survey}
            questions={asked}
            available={config?.availableCredits}
            onClose={close}
          />
        </Suspense>
      )}
      {shown === 'start' && (
        <Suspense>
          <Start survey={survey} onClose={close} />
        </Suspense>
      )}
    </section>
  );
}

/** The cost of the twins of a price, and the time that they take. */
function PriceFacts({ price, most }: { price: StudyPrice; most: boolean }) {
  const { credits, personas, estimate } = price;
  const time = timeText(price);
  return (
    <>
      <span>
        {most && 'at most '}
        <strong>{count(credits)} credits</strong>
        {estimate.cost != null && `, ${costText(estimate.cost)}`} per {count(personas)} twins
      </span>
      <span>{/^\d/.test(time) ? `about ${time}` : time}</span>
    </>
  );
}

function Start({ survey, onClose }: { survey: Survey; onClose: () => void }) {
  const { message } = App.useApp();
  const navigate = useNavigate();
  return (
    <StartSimulation
      surveyId={survey.id}
      title={survey.title}
      onClose={onClose}
      onStarted={() => {
        onClose();
        void message.success(`The simulation for “${survey.title}” is now running`);
        void navigate(paths.simulationHistory);
      }}
    />
  );
}

/** Whether all is saved, and the ways back and forth. */
function Steps({ store, onLeave }: { store: QuestionStore; onLeave: () => void }) {
  const { undo, redo, state } = store;
  const take = (step: typeof undo) => {
    onLeave();
    void step?.();
  };
  return (
    <div className="builder-state line gap-1">
      <span role="status" className={state.kind === 'failed' ? 'save-state save-state-failed' : 'save-state'}>
        {saveStateText(state)}
      </span>
      <Button
        type="text"
        shape="circle"
        icon={<UndoIcon />}
        aria-label="Undo"
        title={`Undo (${MOD}+Z)`}
        disabled={undo === null}
        onClick={() => take(undo)}
      />
      <Button
        type="text"
        shape="circle"
        icon={<RedoIcon />}
        aria-label="Redo"
        title={`Redo (${MOD}+Shift+Z)`}
        disabled={redo === null}
        onClick={() => take(redo)}
      />
    </div>
  );
}

import {
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Alert, Button, Tabs, Tag } from 'antd';
import { useNavigate, useParams } from 'react-router';
import { failed, isMissing } from '@/api/client';
import { useGet } from '@/api/hooks';
import { useSession } from '@/api/session';
import type { Question } from '@/api/types';
import { copyOf } from '@/editing/history';
import { paths } from '@/paths';
import { useAutoSave } from '@/editing/useDraft';
import { ConfirmDialog } from '@/ui/Dialog';
import { isKey, isTaken, MOD, openDialog } from '@/ui/keys';
import { EmptyState, LinkButton, Loading, NotHere, Page } from '@/ui/Page';
import { useAddress } from '@/ui/titleAndAddress';
import { BuilderBar } from './BuilderBar';
import { ImportedFrom } from './ImportedFrom';
import { PasteQuestions } from './PasteQuestions';
import { QuestionForm } from './QuestionForm';
import { QuestionList, type CardAction } from './QuestionList';
import { DuplicateSurvey } from './SurveyDialogs';
import { SurveyMenu } from './SurveyMenu';
import { useDesign } from './useDesign';
import { useQuestions } from './useQuestions';
import { useRenaming } from './useRenaming';
import './QuestionsEditor.css';

/** Chunks of their own: most surveys are plain ones. */
const FlowTab = lazy(() => import('./flow/FlowTab'));
const JsonTab = lazy(() => import('./flow/JsonTab'));

/** The question that is being written: one of the list, or a new one with its position. */
type Open = { edited: number } | { at: number };

/** The questions of one survey: written, ordered and, once a simulation exists, locked. */
export default function QuestionsEditor() {
  const surveyId = Number(useParams().surveyId);
  // What can be taken back belongs to one survey.
  return <Editor key={surveyId} surveyId={surveyId} />;
}

function Editor({ surveyId }: { surveyId: number }) {
  const survey = useGet('/api/surveys/{surveyId}', { params: { path: { surveyId } } });
  const store = useQuestions(surveyId);
  const flow = useDesign(surveyId, store);
  const renaming = useRenaming(store, flow);
  // Known before the first card opens: until then nothing saves itself.
  useAutoSave();
  const { questions } = store;
  const [address, changeAddress] = useAddress();
  const tab = tabs.find((one) => one === address.get('tab')) ?? 'questions';
  const show = (next: string) => {
    setOpen(null);
    changeAddress({ tab: next === 'questions' ? null : next });
  };
  const [open, setOpen] = useState<Open | null>(null);
  const [deleted, setDeleted] = useState<Question | null>(null);
  const [copying, setCopying] = useState(false);
  const [pasting, setPasting] = useState(false);
  const navigate = useNavigate();
  const user = useSession();
  const missing = survey.error ?? store.error;
  const others = survey.data !== undefined && survey.data.userId !== user?.id;
  const locked = survey.data?.isLocked ?? false;
  // Until it is known whose it is, too.
  const readOnly = survey.data === undefined || locked || others;
  const last = questions?.length ?? 0;

  const focusNext = useFocusNext();
  const add = (at = last) => {
    if (tab !== 'questions') show('questions');
    if (!readOnly && questions !== undefined) setOpen({ at });
  };
  const close = (back: string) => {
    setOpen(null);
    focusNext(back);
  };
  const duplicate = async (question: Question) => {
    const at = document.activeElement;
    try {
      const copy = await store.create(copyOf(question), question.order);
      store.showToast('success', 'Question added successfully!');
      // Who went on meanwhile stays there.
      if (document.activeElement === at) focusNext(editButton(copy.id));
    } catch (failure) {
      store.showToast('error', failed('Failed to add question', failure));
    }
  };
  /** The focus goes to the card that takes the place; the toast has the way back. */
  const remove = (question: Question) => {
    const next = questions?.[question.order] ?? questions?.[question.order - 2];
    const done = store.remove(question);
    void done.then(() => focusNext(next === undefined ? ADD_BUTTON : editButton(next.id)));
  };
  const act = useStable((action: CardAction) => {
    const { question } = action;
    const neighbour = (by: number) => questions?.[question.order - 1 + by];
    if (action.do === 'edit') setOpen({ edited: question.id });
    else if (action.do === 'insert') add(question.order);
    else if (action.do === 'delete') setDeleted(question);
    else if (action.do === 'remove') remove(question);
    else if (action.do === 'duplicate') void duplicate(question);
    if (action.do === 'look' || action.do === 'move') {
      const other = neighbour(action.by);
      if (other === undefined || questions === undefined) return;
      if (action.do === 'look') focusNext(editButton(other.id));
      else {
        const place = question.order - 1;
        void store.reorder(questions.toSpliced(place, 1).toSpliced(place + action.by, 0, question));
        focusNext(editButton(question.id));
      }
    }
  });
  useKeys((event) => {
    if (readOnly) return false;
    if (isKey(event, 'newQuestion')) {
      add();
      return true;
    }
    const step = isKey(event, 'redo') ? store.redo : isKey(event, 'undo') ? store.undo : null;
    if (step === null) return false;
    setOpen(null);
    void step();
    return true;
  });

  const openQuestion = useStable((name: string) => {
    const question = questions?.find((one) => one.name === name);
    show('questions');
    if (question === undefined) return;
    if (readOnly) focusNext(editButton(question.id));
    else setOpen({ edited: question.id });
  });

  const edited =
    open !== null && 'edited' in open ? questions?.find(({ id }) => id === open.edited) : undefined;
  const at = open !== null && 'at' in open ? Math.min(open.at, last) : null;
  const form =
    edited !== undefined ? (
      <QuestionForm
        key={edited.id}
        surveyId={surveyId}
        question={edited}
        store={store}
        design={flow.design}
        renaming={renaming}
        onClose={() => close(editButton(edited.id))}
      />
    ) : at !== null ? (
      <QuestionForm
        key="new"
        surveyId={surveyId}
        question={null}
        at={at < last ? at : undefined}
        store={store}
        design={flow.design}
        renaming={renaming}
        onClose={(added) => close(added === undefined ? ADD_BUTTON : editButton(added.id))}
      />
    ) : null;

  if (isMissing(survey.error)) {
    return (
      <NotHere
        title="Survey Not Found"
        back={<LinkButton to={paths.surveyBuilder}>Back to Survey List</LinkButton>}
      >
        There is no survey at this address, or nobody has shared it with you.
      </NotHere>
    );
  }
  return (
    <Page
      trail={[
        { label: 'Surveys', to: paths.surveyBuilder },
        survey.data === undefined ? null : { label: survey.data.title },
      ]}
      title={survey.data?.title ?? 'Survey Questions'}
      subtitle={survey.data?.description}
      actions={
        <>
          <LinkButton to={paths.surveyBuilder}>Back to Survey List</LinkButton>
          {others && <Button onClick={() => setCopying(true)}>Duplicate Survey</Button>}
          {survey.data !== undefined && !others && (
            <SurveyMenu
              survey={survey.data}
              size="middle"
              onDeleted={() => void navigate(paths.surveyBuilder)}
            />
          )}
          {!readOnly && (
            <Button disabled={questions === undefined} onClick={() => setPasting(true)}>
              Paste text
            </Button>
          )}
          <Button
            type="primary"
            className="question-add"
            title="New question (N)"
            disabled={readOnly || questions === undefined}
            onClick={() => add()}
          >
            + Add Question
          </Button>
        </>
      }
    >
      {missing !== undefined && <Alert type="error" title={failed('Failed to load survey data', missing)} />}
      {others && (
        <Alert
          type="info"
          role="status"
          title="You are reading somebody else's survey. Duplicate it to have one of your own to change."
        />
      )}
      {locked && (
        <Alert
          type="warning"
          role="status"
          title={
            <Tag color="warning" className="locked-tag">
              Survey Locked
            </Tag>
          }
          description="This survey is locked because it has simulations, running or completed. It cannot be edited, to maintain data integrity."
          action={
            !others && (
              <div className="row-actions">
                <Button size="small" onClick={() => setCopying(true)}>
                  Duplicate to edit
                </Button>
                {survey.data?.simulationId != null && (
                  <LinkButton to={paths.runsOf(surveyId)} size="small">
                    See results
                  </LinkButton>
                )}
              </div>
            )
          }
        />
      )}
      <ImportedFrom surveyId={surveyId} />
      {questions === undefined && missing === undefined && <Loading />}
      {questions !== undefined && (
        <Tabs
          activeKey={tab}
          destroyOnHidden
          onChange={show}
          items={[
            {
              key: 'questions',
              label: 'Questions',
              children: (
                <>
                  {questions?.length === 0 && form === null && (
                    <EmptyState title="No questions found">
                      {others
                        ? 'Nothing is asked here yet.'
                        : 'Start building your survey by adding your first question!'}
                    </EmptyState>
                  )}
                  {questions !== undefined && (questions.length > 0 || form !== null) && (
                    <QuestionList
                      questions={questions}
                      locked={readOnly}
                      open={form === null ? null : { questionId: edited?.id ?? null, index: at ?? 0, form }}
                      onAct={act}
                      onReorder={(moved) => void store.reorder(moved)}
                    />
                  )}
                  {!readOnly && questions !== undefined && (
                    <p className="question-keys muted tiny">
                      <kbd>N</kbd> new question. At a card: <kbd>Enter</kbd> open, <kbd>A</kbd> insert below,{' '}
                      <kbd>Alt ↑↓</kbd> move, <kbd>{MOD} D</kbd> duplicate, <kbd>Del</kbd> delete,{' '}
                      <kbd>↑↓</kbd> other cards. <kbd>{MOD} Z</kbd> undo. <kbd>?</kbd> all keys.
                    </p>
                  )}
                </>
              ),
            },
            {
              key: 'flow',
              label: 'Flow',
              children: (
                <Suspense fallback={<Loading />}>
                  <FlowTab
                    surveyId={surveyId}
                    questions={questions}
                    store={flow}
                    renaming={renaming}
                    readOnly={readOnly}
                    onOpenQuestion={openQuestion}
                  />
                </Suspense>
              ),
            },
            {
              key: 'json',
              label: 'JSON',
              children: (
                <Suspense fallback={<Loading />}>
                  <JsonTab store={flow} readOnly={readOnly} />
                </Suspense>
              ),
            },
          ]}
        />
      )}
      {questions !== undefined && survey.data !== undefined && (
        <BuilderBar
          survey={survey.data}
          questions={questions}
          store={store}
          design={flow.design}
          readOnly={readOnly}
          others={others}
          onLeave={() => {
            setOpen(null);
            void flow.flush();
          }}
        />
      )}
      {copying && survey.data !== undefined && (
        <DuplicateSurvey
          survey={survey.data}
          onClose={() => setCopying(false)}
          onDone={(copy) => void navigate(paths.survey(copy))}
        />
      )}
      {pasting && <PasteQuestions store={store} onClose={() => setPasting(false)} />}
      {deleted !== null && (
        <ConfirmDialog
          title="Delete Question"
          action="Delete"
          onConfirm={() => store.remove(deleted)}
          onClose={() => setDeleted(null)}
        >
          Are you sure you want to delete this question?
        </ConfirmDialog>
      )}
    </Page>
  );
}

const tabs = ['questions', 'flow', 'json'] as const;

const ADD_BUTTON = '.question-add';
const editButton = (id: number) => `#question-${id} .question-edit`;

/** Gives the focus to what a selector finds once the page is drawn anew. */
function useFocusNext(): (selector: string) => void {
  const [wanted, setWanted] = useState<{ selector: string } | null>(null);
  useEffect(() => {
    if (wanted !== null) document.querySelector<HTMLElement>(wanted.selector)?.focus();
  }, [wanted]);
  return useCallback((selector) => setWanted({ selector }), []);
}

/** A function that stays the same one and does what the newest `task` does. */
function useStable<Arg>(task: (arg: Arg) => void): (arg: Arg) => void {
  const newest = useRef(task);
  useLayoutEffect(() => {
    newest.current = task;
  });
  return useCallback((arg) => newest.current(arg), []);
}

/** Keys of the page itself: not those of a field, a dialog or a menu. `press` returns whether it took the key. */
function useKeys(press: (event: KeyboardEvent) => boolean): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (isTaken(event) || openDialog() !== undefined) return;
    if (press(event)) event.preventDefault();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}

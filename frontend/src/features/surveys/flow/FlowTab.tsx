import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { Alert, Button, InputNumber } from 'antd';
import { DragDropContext, useKeyboardSensor, useTouchSensor, type DropResult } from 'react-beautiful-dnd';
import { failed } from '@/api/client';
import type { Design } from '@/api/design';
import { readOnce, useGet } from '@/api/hooks';
import type { Question } from '@/api/types';
import { Loading } from '@/ui/Page';
import { useMouseSensor } from '../mouseSensor';
import type { DesignStore } from '../useDesign';
import type { Renaming } from '../useRenaming';
import { ArmsWizard } from './ArmsWizard';
import { FlowContext, handleId, type Flow } from './context';
import { DesignConflict } from './DesignConflict';
import { byNode } from './findings';
import { namesOf } from './names';
import { NodeList } from './NodeList';
import { PipeMenu } from './PipeMenu';
import { PlainFlow } from './PlainFlow';
import { Preview } from './Preview';
import { Problems } from './Problems';
import { Tables } from './Tables';
import { move, moveQuestion } from './tree';
import { Unplaced } from './Unplaced';
import { useCheck } from './useCheck';
import './flow.css';
import './flowPanels.css';

interface Props {
  surveyId: number;
  questions: readonly Question[];
  store: DesignStore;
  renaming: Renaming;
  readOnly: boolean;
  onOpenQuestion: (name: string) => void;
}

/** The flow of a survey: who is asked what, in which order. */
export default function FlowTab({ store, ...props }: Props) {
  if (store.error !== undefined && store.design === undefined)
    return <Alert type="error" title={failed('Failed to load the flow', store.error)} />;
  if (store.design === undefined) return <Loading />;
  return <Editor {...props} store={store} design={store.design} />;
}

const sensors = [useMouseSensor, useKeyboardSensor, useTouchSensor];
/** The number of twins that the arms are counted for at first. */
const TWINS = 100;

function Editor({
  surveyId,
  questions,
  store,
  renaming,
  design,
  readOnly,
  onOpenQuestion,
}: Props & { design: Design }) {
  const [twins, setTwins] = useState(TWINS);
  const [wizard, setWizard] = useState<{ block?: string } | null>(null);
  const attributes = useGet('/api/personas/attributes', {}, readOnce).data;
  const check = useCheck(surveyId, design, questions);
  const focus = useFocusNext();
  const found = check.data?.findings;
  const flow: Flow = {
    design,
    questions,
    byName: new Map(questions.map((question) => [question.name, question])),
    names: namesOf(design, questions, attributes ?? []),
    readOnly,
    twins,
    findings: byNode(design, found ?? []),
    change: store.change,
    rename: renaming.rename,
    nameField: renaming.nameField,
    focus,
    openQuestion: onOpenQuestion,
  };
  const isPlain = design.flow.length === 0;
  return (
    <FlowContext value={flow}>
      {store.conflict !== null && (
        <DesignConflict mine={design} theirs={store.conflict} onSettle={store.resolveConflict} />
      )}
      <div className="flow stack gap-5">
        <section className="flow-tree stack gap-4" aria-label="Flow">
          <PipeMenu names={flow.names}>
            {isPlain ? (
              <PlainFlow onArms={() => setWizard({})} />
            ) : (
              <>
                <div className="flow-tools row">
                  <label className="flow-twins">
                    Show the sizes of arms for{' '}
                    <InputNumber
                      size="small"
                      min={1}
                      max={100_000}
                      precision={0}
                      value={twins}
                      onChange={(value) => setTwins(value ?? TWINS)}
                    />{' '}
                    twins
                  </label>
                  {!readOnly && (
                    <Button size="small" onClick={() => setWizard({})}>
                      Arms wizard
                    </Button>
                  )}
                </div>
                <Unplaced />
                <Draggables design={design} onChange={store.change}>
                  <NodeList
                    list="/flow"
                    label="The survey"
                    nodes={design.flow}
                    share={1}
                    onArms={setWizard}
                  />
                </Draggables>
              </>
            )}
            {(!isPlain || Object.keys(design.tables).length > 0) && <Tables />}
          </PipeMenu>
        </section>
        <aside className="flow-side stack gap-4">
          <Preview surveyId={surveyId} version={store.hash} />
          {(!isPlain || (found ?? []).length > 0) && <Problems report={check.data} error={check.error} />}
        </aside>
      </div>
      {wizard !== null && <ArmsWizard block={wizard.block} onClose={() => setWizard(null)} />}
    </FlowContext>
  );
}

/** Nodes are dragged within their list, questions from block to block too. */
function Draggables({
  design,
  onChange,
  children,
}: {
  design: Design;
  onChange: (design: Design) => void;
  children: ReactNode;
}) {
  const drop = ({ type, draggableId, source, destination }: DropResult) => {
    if (destination == null) return;
    const [from, to] = [source.droppableId, destination.droppableId];
    if (from === to && source.index === destination.index) return;
    // Places are counted as they are before the move.
    const index = destination.index + (from === to && destination.index > source.index ? 1 : 0);
    if (type === 'question') {
      const name = draggableId.slice(draggableId.lastIndexOf('?') + 1);
      onChange(moveQuestion(design, name, from.slice(1), to.slice(1), index));
    } else onChange(move(design, draggableId, to, index).design);
  };
  return (
    <DragDropContext enableDefaultSensors={false} sensors={sensors} onDragEnd={drop}>
      {children}
    </DragDropContext>
  );
}

/** The handle of a node, or of the nearest node around it, so that the focus stays in the flow when a node is removed. */
function elementOf(id: string): HTMLElement | null {
  if (!id.startsWith('/')) return document.getElementById(id);
  for (let at = id; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const handle = document.getElementById(handleId(at));
    if (handle !== null) return handle;
  }
  return document.querySelector<HTMLElement>('.flow-tree button');
}

/** Gives the focus to a node's handle, or another element by its id, once the page is drawn anew. */
function useFocusNext(): (id: string) => void {
  const [wanted, setWanted] = useState<{ id: string } | null>(null);
  useEffect(() => {
    if (wanted === null) return;
    const element = elementOf(wanted.id);
    element?.focus();
    element?.scrollIntoView({ block: 'nearest' });
  }, [wanted]);
  return useCallback((id) => setWanted({ id }), []);
}

import { useCallback, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Button, Flex } from 'antd';
import { useGet } from '@/api/hooks';
import { Dialog } from '@/ui/Dialog';
import { count } from '@/ui/format';

/** Answers of one twin at full length; table cells cut them. */
export interface TwinAnswers {
  twin: string;
  answers: readonly { question: string; answer: string }[];
  /** Demographics by label, where they are known. */
  attributes?: Readonly<Record<string, string>>;
  /** The source of its text. */
  source?: { simulationId: string; personaId: number };
}

/** The dialog with a twin's answers, and the function that opens it at one of several twins. */
export function useTwinAnswers(): {
  open: (twins: readonly TwinAnswers[], index?: number) => void;
  dialog: ReactNode;
} {
  const [opened, setOpened] = useState<{ twins: readonly TwinAnswers[]; index: number } | null>(null);
  const twin = opened?.twins[opened.index];
  const turn = ({ key }: KeyboardEvent) => {
    const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
    setOpened((now) => (now?.twins[now.index + step] ? { ...now, index: now.index + step } : now));
  };
  const dialog = opened !== null && twin !== undefined && (
    // The arrow keys do what the buttons do, wherever in the dialog the focus is.
    <div onKeyDown={turn}>
      <Dialog title={twin.twin} onClose={() => setOpened(null)} size={twin.attributes ? 'xl' : 'lg'}>
        {opened.twins.length > 1 && (
          <Steps
            index={opened.index}
            total={opened.twins.length}
            onChange={(index) => setOpened({ ...opened, index })}
          />
        )}
        {/* Focusable, so that the keyboard can scroll it. Another twin begins at the top. */}
        <div className="twin stack gap-5 long-word" tabIndex={0} key={opened.index}>
          {twin.attributes !== undefined && <Profile twin={twin} attributes={twin.attributes} />}
          <dl className="twin-answers stack gap-4">
            {twin.answers.map(({ question, answer }, index) => (
              <div key={index}>
                <dt>{question}</dt>
                <dd>{answer}</dd>
              </div>
            ))}
          </dl>
        </div>
      </Dialog>
    </div>
  );
  const open = useCallback((twins: readonly TwinAnswers[], index = 0) => setOpened({ twins, index }), []);
  return { open, dialog };
}

/** Steps from one twin of the page to the next. */
function Steps({
  index,
  total,
  onChange,
}: {
  index: number;
  total: number;
  onChange: (index: number) => void;
}) {
  return (
    <Flex gap="small" align="center">
      <Button size="small" disabled={index === 0} onClick={() => onChange(index - 1)}>
        Previous twin
      </Button>
      <Button size="small" disabled={index === total - 1} onClick={() => onChange(index + 1)}>
        Next twin
      </Button>
      <span className="muted" role="status">
        {count(index + 1)} of {count(total)} on this page
      </span>
    </Flex>
  );
}

/** The profile of the twin. */
function Profile({ twin, attributes }: { twin: TwinAnswers; attributes: Readonly<Record<string, string>> }) {
  const { source } = twin;
  return (
    <section className="twin-profile inset small" aria-label="Profile">
      <dl className="stack gap-2 facts">
        {Object.entries(attributes).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {source !== undefined && <PersonaText source={source} />}
    </section>
  );
}

/** The text that the twin was asked with, which only those read who may control the run. */
function PersonaText({ source }: { source: NonNullable<TwinAnswers['source']> }) {
  const [shown, setShown] = useState(false);
  const { data, error } = useGet(shown ? '/api/simulations/{simulationId}/personas' : null, {
    params: { path: { simulationId: source.simulationId }, query: { personaId: source.personaId } },
  });
  const text = data?.[0]?.text;
  const waiting = data === undefined && error === undefined;
  return (
    <details onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>Profile text</summary>
      {shown &&
        (text == null ? (
          <p className="muted">{waiting ? 'Loading...' : 'Only who may control the simulation reads it.'}</p>
        ) : (
          <p className="twin-text">{text}</p>
        ))}
    </details>
  );
}

/** A twin's name in a table, which opens its answers. */
export function TwinButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <Button type="link" size="small" className="twin-button" onClick={onClick}>
      {name}
    </Button>
  );
}

export function nameOf({ personaId, personaName }: { personaId: number; personaName: string }): string {
  return personaName || `Persona ${personaId}`;
}

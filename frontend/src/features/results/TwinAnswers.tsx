import { useState, type ReactNode } from 'react';
import { Button } from 'antd';
import { Dialog } from '@/ui/Dialog';

/** Answers of one twin at full length; table cells cut them. */
interface TwinAnswers {
  twin: string;
  answers: readonly { question: string; answer: string }[];
}

/** The dialog with a twin's answers, and the function that opens it. */
export function useTwinAnswers(): { open: (answers: TwinAnswers) => void; dialog: ReactNode } {
  const [opened, setOpened] = useState<TwinAnswers | null>(null);
  const dialog = opened !== null && (
    <Dialog title={opened.twin} onClose={() => setOpened(null)} size="lg">
      {/* Focusable, so that the keyboard can scroll it. */}
      <dl className="twin-answers" tabIndex={0}>
        {opened.answers.map(({ question, answer }, index) => (
          <div key={index}>
            <dt>{question}</dt>
            <dd>{answer}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
  return { open: setOpened, dialog };
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

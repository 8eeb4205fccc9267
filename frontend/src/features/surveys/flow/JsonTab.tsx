import { useState } from 'react';
import { Alert, Input } from 'antd';
import { failed } from '@/api/client';
import type { Design } from '@/api/design';
import { CopyButton } from '@/ui/Copy';
import { Loading } from '@/ui/Page';
import type { DesignStore } from '../useDesign';
import { DesignConflict } from './DesignConflict';
import { parse, written } from './json';
import './flow.css';
import './flowPanels.css';

/** The whole flow and its tables as text. What is no design is not saved. */
export default function JsonTab({ store, readOnly }: { store: DesignStore; readOnly: boolean }) {
  if (store.error !== undefined && store.design === undefined)
    return <Alert type="error" title={failed('Failed to load the flow', store.error)} />;
  if (store.design === undefined) return <Loading />;
  return <Editor store={store} design={store.design} readOnly={readOnly} />;
}

function Editor({ store, design, readOnly }: { store: DesignStore; design: Design; readOnly: boolean }) {
  /** The text as it is typed, until the design becomes another one. */
  const [typed, setTyped] = useState<{ text: string; says: string | null } | null>(null);
  const now = written(design);
  const text = typed === null || (typed.says !== null && typed.says !== now) ? now : typed.text;
  const parsed = parse(text);
  const write = (next: string) => {
    const read = parse(next);
    if ('problem' in read) setTyped({ text: next, says: null });
    else {
      setTyped({ text: next, says: written(read.design) });
      store.change(read.design, 'json');
    }
  };
  return (
    <div className="flow-json stack gap-4">
      {store.conflict !== null && (
        <DesignConflict mine={design} theirs={store.conflict} onSettle={store.resolveConflict} />
      )}
      <div className="flow-row row">
        <p className="muted">Flow and tables, as the API and files have them.</p>
        <CopyButton text={text} />
      </div>
      <Input.TextArea
        aria-label="Flow as JSON"
        className="flow-code"
        rows={24}
        spellCheck={false}
        readOnly={readOnly}
        value={text}
        {...('problem' in parsed && {
          status: 'error',
          'aria-invalid': true,
          'aria-describedby': 'json-problem',
        })}
        onChange={(event) => write(event.target.value)}
      />
      <div role="status" id="json-problem">
        {'problem' in parsed && <Alert type="error" title={`Not saved. ${parsed.problem}`} />}
      </div>
    </div>
  );
}

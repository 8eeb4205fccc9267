import { useId, useState } from 'react';
import { Alert, Button, Form, Input } from 'antd';
import { isName } from '@/question-types/draft';
import { Dialog } from '@/ui/Dialog';
import { Panel } from '@/ui/Page';
import { useFlow } from './context';
import { freeName, namesIn } from './nodes';
import { tableOf } from './tables';
import { without } from './without';

/** The tables that loops go through. */
export function Tables() {
  const { design, readOnly, change } = useFlow();
  const [pasting, setPasting] = useState(false);
  const tables = Object.entries(design.tables);
  if (readOnly && tables.length === 0) return null;
  const remove = (name: string) => {
    change({ ...design, tables: without(design.tables, name) });
  };
  return (
    <Panel
      title="Tables"
      extra={
        !readOnly && (
          <Button size="small" onClick={() => setPasting(true)}>
            Paste a table
          </Button>
        )
      }
    >
      {tables.length === 0 ? (
        <p className="muted">None. A loop asks its questions once for each row of a table.</p>
      ) : (
        <ul className="flow-tables">
          {tables.map(([name, { columns, rows }]) => (
            <li key={name}>
              <span>
                <strong>{name}</strong> {rows.length === 1 ? '1 row' : `${rows.length} rows`}:{' '}
                <span className="muted">{columns.join(', ')}</span>
              </span>
              {!readOnly && (
                <Button
                  size="small"
                  type="text"
                  danger
                  aria-label={`Remove table ${name}`}
                  onClick={() => remove(name)}
                >
                  Remove
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {pasting && <PasteTable onClose={() => setPasting(false)} />}
    </Panel>
  );
}

function PasteTable({ onClose }: { onClose: () => void }) {
  const { design, change } = useFlow();
  const id = useId();
  const [name, setName] = useState(() => freeName('items', namesIn(design)));
  const [text, setText] = useState('');
  const pasted = tableOf(text);
  const make = () => {
    if (!('table' in pasted) || !isName(name) || name.trim() === '') return;
    change({ ...design, tables: { ...design.tables, [name.trim()]: pasted.table } });
    onClose();
  };
  const replaces = Object.hasOwn(design.tables, name.trim());
  return (
    <Dialog
      title="Paste a table"
      size="lg"
      onClose={onClose}
      action={{
        text: replaces ? 'Replace the table' : 'Add the table',
        disabled: !('table' in pasted) || !isName(name) || name.trim() === '',
        form: id,
      }}
    >
      <Form id={id} layout="vertical" onFinish={make}>
        <Form.Item
          label="Name"
          htmlFor={`${id}-name`}
          extra={replaces && 'A table of this name is replaced.'}
        >
          <Input
            id={`${id}-name`}
            maxLength={63}
            spellCheck={false}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Form.Item>
        <Form.Item
          label="Rows"
          htmlFor={`${id}-rows`}
          extra="CSV, or copied from a spreadsheet; the first line names the columns"
        >
          <Input.TextArea
            id={`${id}-rows`}
            className="flow-code"
            rows={8}
            spellCheck={false}
            placeholder={'id,text\n1,A bottle that cleans itself\n2,A lamp that follows you'}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Form.Item>
        <div role="status">
          {text.trim() !== '' &&
            ('problem' in pasted ? (
              <Alert type="error" title={pasted.problem} />
            ) : (
              <p className="muted">
                {pasted.table.rows.length} rows: {pasted.table.columns.join(', ')}
              </p>
            ))}
        </div>
      </Form>
    </Dialog>
  );
}

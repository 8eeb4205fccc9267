import { Alert, Button, Form, Input, InputNumber, Select } from 'antd';
import type { End, FlowNode, Loop, SetFields } from '@/api/design';
import { CrossIcon } from '@/ui/icons';
import { useFlow } from './context';
import type { NodeProps } from './NodeCard';
import { freeName, namesIn } from './nodes';
import { NodeList } from './NodeList';
import { Orders } from './Orders';
import { OwnName } from './OwnName';
import { Piped } from '@/ui/Piped';
import { put } from './tree';
import { without } from './without';

/** Fields and their texts. */
export function SetBody({ node, at }: { node: SetFields; at: string }) {
  const { design, readOnly, change, nameField } = useFlow();
  const fields = Object.entries(node.set);
  const write = (next: [string, string][], key?: string) =>
    change(put(design, at, { set: Object.fromEntries(next) }), key);
  if (readOnly)
    return (
      <dl className="flow-body stack gap-3">
        {fields.map(([name, text]) => (
          <div key={name} className="line gap-3">
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              “<Piped text={text} />”
            </dd>
          </div>
        ))}
      </dl>
    );
  return (
    <div className="flow-body stack gap-3">
      {fields.map(([name, text], index) => (
        <div key={index} className="flow-field">
          <OwnName
            label={`Field ${index + 1}`}
            className="flow-code"
            borderless={false}
            value={name}
            onRename={(to) => nameField(at, name, to)}
          />
          <span className="muted">is</span>
          <Input
            size="small"
            aria-label={`Text of ${name}`}
            value={text}
            onChange={(event) => write(fields.with(index, [name, event.target.value]), `text ${at} ${index}`)}
          />
          {fields.length > 1 && (
            <Button
              type="text"
              size="small"
              shape="circle"
              icon={<CrossIcon />}
              aria-label={`Remove field ${name}`}
              onClick={() => write(fields.toSpliced(index, 1))}
            />
          )}
        </div>
      ))}
      <div className="flow-row row">
        <Button
          size="small"
          type="text"
          onClick={() => write([...fields, [freeName('text', namesIn(design)), '']])}
        >
          + Field
        </Button>
        <span className="muted tiny">
          Questions insert it as <code>{`{{field:${fields[0]?.[0] ?? 'name'}}}`}</code>
        </span>
      </div>
    </div>
  );
}

/** The rows that a part of the survey is asked for. */
export function LoopBody({ node, at, share, onArms }: Omit<NodeProps, 'node'> & { node: Loop }) {
  const { design, readOnly, change } = useFlow();
  const tables = Object.keys(design.tables);
  const rows = design.tables[node.loop]?.rows.length ?? 0;
  const take = (count: number | null) => {
    const rest = without(node, 'take');
    change(put(design, at, count === null ? rest : { ...rest, take: count }), `take ${at}`);
  };
  return (
    <div className="flow-body stack gap-3">
      {tables.length === 0 && (
        <Alert type="info" role="status" title="A loop needs a table: paste one under Tables below." />
      )}
      <Form layout="vertical" className="flow-settings stack gap-3 flush">
        <Form.Item label="Rows of the table" htmlFor={`${at}/table`}>
          <Select
            id={`${at}/table`}
            size="small"
            disabled={readOnly}
            value={node.loop}
            options={tables.map((name) => ({
              value: name,
              label: `${name} (${design.tables[name]?.rows.length})`,
            }))}
            onChange={(loop) => change(put(design, at, { ...node, loop }))}
          />
        </Form.Item>
        <Form.Item label="Rows for each twin" htmlFor={`${at}/take`}>
          <InputNumber
            id={`${at}/take`}
            size="small"
            min={1}
            max={Math.max(1, rows)}
            precision={0}
            placeholder="all"
            disabled={readOnly}
            value={node.take ?? null}
            onChange={take}
          />
        </Form.Item>
        <Form.Item label="Order of the rows">
          <Orders
            what="rows"
            value={node.order}
            onChange={(order) => change(put(design, at, { ...node, order }))}
          />
        </Form.Item>
      </Form>
      <NodeList
        list={`${at}/flow`}
        label={`Loop ${node.loop}`}
        nodes={node.flow}
        share={share}
        onArms={onArms}
      />
    </div>
  );
}

export function EndBody({ node, at }: { node: End; at: string }) {
  const { design, readOnly, change } = useFlow();
  return (
    <div className="flow-body stack gap-3">
      <Select<End['end']>
        size="small"
        className="flow-pick"
        aria-label="How it ends"
        disabled={readOnly}
        value={node.end}
        options={[
          { value: 'screened_out', label: 'The twin is screened out' },
          { value: 'complete', label: 'The twin is done' },
        ]}
        onChange={(end) => change(put(design, at, { end }))}
      />
    </div>
  );
}

export function GroupBody({ node, at, share, onArms }: Omit<NodeProps, 'node'> & { node: FlowNode[] }) {
  return (
    <div className="flow-body stack gap-3">
      <NodeList list={at} label="Group" nodes={node} share={share} onArms={onArms} />
    </div>
  );
}

import { Button, Form, InputNumber, Select } from 'antd';
import type { Arm, Random } from '@/api/design';
import { CrossIcon } from '@/ui/icons';
import { useFlow } from './context';
import type { NodeProps } from './NodeCard';
import { freeName } from './nodes';
import { NodeList } from './NodeList';
import { Orders } from './Orders';
import { OwnName } from './OwnName';
import { sharesOf, twinsInWords } from './shares';
import { put } from './tree';
import { without } from './without';

/** Arms, how many of them a twin is dealt, and what they are balanced within. */
export function RandomBody({ node, at, share, onArms }: Omit<NodeProps, 'node'> & { node: Random }) {
  const { design, readOnly, change, names } = useFlow();
  const shares = sharesOf(node);
  const write = (part: Partial<Random>, key?: string) => change(put(design, at, { ...node, ...part }), key);
  const taken = node.take ?? node.of.length;
  const take = (count: number) => {
    const rest = without(node, 'take');
    change(put(design, at, count === node.of.length ? rest : { ...rest, take: count }));
  };
  const balance = (labels: string[]) => {
    const rest = without(node, 'strata');
    change(put(design, at, labels.length === 0 ? rest : { ...rest, strata: labels }));
  };
  const add = () => {
    const name = freeName('arm', new Set(node.of.map(({ arm }) => arm)));
    // All of them stay all of them.
    write({ of: [...node.of, { arm: name, flow: [] }] });
  };
  return (
    <div className="flow-body stack gap-3">
      <Form layout="vertical" className="flow-settings stack gap-3 flush">
        <Form.Item label="Each twin gets" htmlFor={`${at}/take`}>
          <Select
            id={`${at}/take`}
            size="small"
            disabled={readOnly}
            value={taken}
            options={node.of.map((_, index) => ({
              value: index + 1,
              label:
                index + 1 === node.of.length
                  ? `all ${index + 1} arms`
                  : `${index + 1} of ${node.of.length} arms`,
            }))}
            onChange={take}
          />
        </Form.Item>
        <Form.Item label="Balanced within" htmlFor={`${at}/strata`}>
          <Select
            id={`${at}/strata`}
            size="small"
            mode="multiple"
            placeholder="all twins"
            disabled={readOnly}
            value={node.strata ?? []}
            options={names.attributes.map(({ label }) => ({ value: label, label }))}
            onChange={balance}
          />
        </Form.Item>
        {taken > 1 && (
          <Form.Item label="Order of the arms">
            <Orders what="arms" value={node.order} onChange={(order) => write({ order })} />
          </Form.Item>
        )}
      </Form>
      <div className="flow-arms stack gap-3">
        {node.of.map((arm, index) => (
          <ArmCard
            key={index}
            random={node}
            arm={arm}
            at={`${at}/of/${index}`}
            share={share * (shares[index] ?? 0)}
            onWrite={(part) =>
              write(
                { of: node.of.with(index, { ...arm, ...part }) },
                `arm ${at} ${index} ${Object.keys(part).join()}`,
              )
            }
            {...(node.of.length > 1 && { onRemove: () => write({ of: node.of.toSpliced(index, 1) }) })}
            onArms={onArms}
          />
        ))}
      </div>
      {!readOnly && (
        <Button size="small" color="primary" variant="filled" onClick={add}>
          + Add arm
        </Button>
      )}
    </div>
  );
}

function ArmCard({
  random,
  arm,
  at,
  share,
  onWrite,
  onRemove,
  onArms,
}: {
  random: Random;
  arm: Arm;
  at: string;
  share: number;
  onWrite: (part: Partial<Arm>) => void;
  onRemove?: () => void;
  onArms: NodeProps['onArms'];
}) {
  const { readOnly, twins, rename } = useFlow();
  const label = `Arm ${arm.arm} of ${random.random}`;
  return (
    <section className="flow-arm stack gap-2" aria-label={label}>
      <div className="row gap-2 between">
        {readOnly ? (
          <strong>{arm.arm}</strong>
        ) : (
          <OwnName
            label="Name of the arm"
            value={arm.arm}
            onRename={(to) => rename({ kind: 'arm', random: random.random, from: arm.arm, to })}
          />
        )}
        {!readOnly && onRemove !== undefined && (
          <Button
            type="text"
            size="small"
            shape="circle"
            icon={<CrossIcon />}
            aria-label={`Remove arm ${arm.arm}`}
            onClick={onRemove}
          />
        )}
      </div>
      <div className="flow-weight row gap-2 between">
        <label>
          Weight{' '}
          <InputNumber
            size="small"
            min={1}
            max={100}
            precision={0}
            disabled={readOnly}
            aria-label={`Weight of ${arm.arm}`}
            value={arm.weight ?? 1}
            onChange={(weight) => onWrite({ weight: weight ?? 1 })}
          />
        </label>
        <strong>{twinsInWords(twins * share)}</strong>
      </div>
      <div className="flow-share" aria-hidden="true">
        <span style={{ inlineSize: `${100 * share}%` }} />
      </div>
      <NodeList list={`${at}/flow`} label={label} nodes={arm.flow} share={share} onArms={onArms} />
    </section>
  );
}

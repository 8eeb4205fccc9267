import { useId, useState } from 'react';
import { Alert, Button, Form, Input, InputNumber, Radio, Select } from 'antd';
import { Dialog } from '@/ui/Dialog';
import { CrossIcon } from '@/ui/icons';
import { asFlow, problemOf, withArms, type NewArm, type NewArms } from './arms';
import { useFlow } from './context';
import { fieldsOf, freeName, namesIn } from './nodes';
import { blocksOf } from './tree';
import { sharesOf, twinsInWords } from './shares';
import { without } from './without';

/** Makes arms that differ by a text or by their questions, before a block. */
export function ArmsWizard({ block, onClose }: { block: string | undefined; onClose: () => void }) {
  const { design: before, questions, change, focus, twins } = useFlow();
  const id = useId();
  const design = asFlow(before, questions);
  const taken = namesIn(design);
  const blocks = blocksOf(design);
  const [at, setAt] = useState(block ?? blocks[0]?.at ?? '/flow/0');
  const [wanted, setWanted] = useState<NewArms>({
    name: freeName('arm', taken),
    arms: [
      { name: 'control', weight: 1, text: '' },
      { name: 'treatment', weight: 1, text: '' },
    ],
    field: freeName('text', taken),
    of: {},
  });
  const [tried, setTried] = useState(false);
  const problem = problemOf(wanted, taken);
  const write = (part: Partial<NewArms>) => setWanted({ ...wanted, ...part });
  const writeArm = (place: number, part: Partial<NewArm>) =>
    write({ arms: wanted.arms.map((arm, index) => (index === place ? { ...arm, ...part } : arm)) });
  const make = () => {
    setTried(true);
    if (problem !== null) return;
    const made = withArms(design, at, wanted);
    change(made.design);
    onClose();
    focus(made.at);
  };
  const shares = sharesOf({
    random: wanted.name,
    take: 1,
    of: wanted.arms.map(({ name, weight }) => ({ arm: name, weight, flow: [] })),
  });
  const { field } = wanted;
  const inBlock = blocks.find((one) => one.at === at)?.block.questions ?? [];
  return (
    <Dialog title="Arms" size="lg" onClose={onClose} action={{ text: 'Make arms', form: id }}>
      <Form id={id} layout="vertical" className="arms flush stack gap-4" onFinish={make}>
        <p className="muted">Each twin is dealt one arm, balanced at any number of twins.</p>
        {tried && problem !== null && <Alert type="error" id={`${id}-problem`} title={problem} />}
        <div className="flow-settings stack gap-3 flush">
          <Form.Item label="Name of the arms" htmlFor={`${id}-name`} extra="Conditions read it by this name">
            <Input
              id={`${id}-name`}
              maxLength={63}
              spellCheck={false}
              value={wanted.name}
              onChange={(event) => write({ name: event.target.value.trim() })}
            />
          </Form.Item>
          <Form.Item label="Before the block" htmlFor={`${id}-block`}>
            <Select
              id={`${id}-block`}
              value={at}
              options={blocks.map((one) => ({ value: one.at, label: one.block.block }))}
              onChange={(next) => {
                setAt(next);
                write({ of: {} });
              }}
            />
          </Form.Item>
        </div>
        <Radio.Group
          aria-label="How the arms differ"
          value={field === null ? 'questions' : 'text'}
          onChange={(event) =>
            write({
              field:
                event.target.value === 'text' ? freeName('text', new Set([...taken, wanted.name])) : null,
            })
          }
          options={[
            { value: 'text', label: 'By a text in the questions' },
            { value: 'questions', label: 'By their questions' },
          ]}
        />
        {field !== null && (
          <Form.Item
            label="Field"
            htmlFor={`${id}-field`}
            extra={
              <>
                Write <code>{`{{field:${field}}}`}</code> in a question, or type <code>{'{{'}</code> and
                choose it
                {[...fieldsOf(design).set.keys()].includes(field) && '. This field is set elsewhere too'}
              </>
            }
          >
            <Input
              id={`${id}-field`}
              maxLength={63}
              spellCheck={false}
              value={field}
              onChange={(event) => write({ field: event.target.value.trim() })}
            />
          </Form.Item>
        )}
        <fieldset className="stack gap-2">
          <legend>Arms</legend>
          {wanted.arms.map((arm, place) => (
            <div key={place} className="arms-row">
              <Input
                aria-label={`Name of arm ${place + 1}`}
                maxLength={63}
                value={arm.name}
                onChange={(event) => writeArm(place, { name: event.target.value })}
              />
              {field !== null && (
                <Input
                  className="arms-text"
                  aria-label={`Text of arm ${place + 1}`}
                  placeholder={`What ${field} is here`}
                  value={arm.text}
                  onChange={(event) => writeArm(place, { text: event.target.value })}
                />
              )}
              <InputNumber
                aria-label={`Weight of arm ${place + 1}`}
                min={1}
                max={100}
                precision={0}
                value={arm.weight}
                onChange={(weight) => writeArm(place, { weight: weight ?? 1 })}
              />
              <span className="muted tiny">{twinsInWords(twins * (shares[place] ?? 0))}</span>
              {wanted.arms.length > 2 && (
                <Button
                  type="text"
                  size="small"
                  shape="circle"
                  icon={<CrossIcon />}
                  aria-label={`Remove arm ${place + 1}`}
                  onClick={() => write({ arms: wanted.arms.toSpliced(place, 1), of: {} })}
                />
              )}
            </div>
          ))}
          <div>
            <Button
              size="small"
              color="primary"
              variant="filled"
              onClick={() =>
                write({
                  arms: [
                    ...wanted.arms,
                    {
                      name: freeName('arm', new Set(wanted.arms.map(({ name }) => name))),
                      weight: 1,
                      text: '',
                    },
                  ],
                })
              }
            >
              + Add arm
            </Button>
          </div>
        </fieldset>
        {field === null && (
          <fieldset className="stack gap-2">
            <legend>Who is asked</legend>
            {inBlock.map((name) => (
              <div key={name} className="arms-question row between">
                <span>{questions.find((question) => question.name === name)?.text ?? name}</span>
                <Select
                  size="small"
                  aria-label={`Who is asked ${name}`}
                  value={wanted.of[name] ?? -1}
                  options={[
                    { value: -1, label: 'Everyone, after the arms' },
                    ...wanted.arms.map((arm, place) => ({ value: place, label: `Only ${arm.name}` })),
                  ]}
                  onChange={(place) => {
                    const rest = without(wanted.of, name);
                    write({ of: place < 0 ? rest : { ...rest, [name]: place } });
                  }}
                />
              </div>
            ))}
            {inBlock.length === 0 && <p className="muted">The block has no questions.</p>}
          </fieldset>
        )}
      </Form>
    </Dialog>
  );
}

import { useState, type Key } from 'react';
import { Button, Flex, Segmented, Tag } from 'antd';
import type { Compared } from '@/api/types';
import { questionColumn } from '@/charts/evidence/questionColumn';
import { DataTable, type Column } from '@/ui/DataTable';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { withScales, type Choices } from './matching';

type Scored = Compared['scoring'][number];
type Scale = NonNullable<Scored['scale']>;

const SCALES: { value: Scale; label: string }[] = [
  { value: 'nominal', label: 'Nominal' },
  { value: 'ordinal', label: 'Ordinal' },
  { value: 'interval', label: 'Numeric' },
];

const REASONS: Record<Scored['reason'], string> = {
  stated: 'stated in the survey',
  numbers: 'numbers',
  words: 'words of a known scale',
  matrix: 'labels of a matrix',
  codes: 'codes of a scale',
  codes_disagree: 'words rise, codes do not: decide',
  two_options: 'two options',
  no_order: 'names without an order',
};

const isOpen = ({ reason, isChosen, scale }: Scored) =>
  scale !== null && reason === 'codes_disagree' && !isChosen;

/** Whether a question can be scored otherwise. */
const isChoice = ({ labels, scale }: Scored) => labels.length > 0 && scale != null;

/** How each question is scored and why: changed one by one, or for all that are chosen. */
export function Scoring({
  of,
  choices,
  onChoose,
}: {
  of: Compared['scoring'];
  choices: Choices;
  onChoose: (choices: Choices) => void;
}) {
  const [picked, setPicked] = useState<readonly Key[]>([]);
  if (of.length === 0) return null;
  const scaleOf = (row: Scored) => choices.scales[row.name] ?? row.scale;
  const open = of.filter((row) => isOpen(row) && choices.scales[row.name] === undefined).length;
  const columns: Column<Scored>[] = [
    questionColumn('30%'),
    { title: 'Scale as read', key: 'read', render: (_, row) => asRead(row) },
    {
      title: 'Why',
      key: 'why',
      render: (_, row) =>
        isOpen(row) ? (
          <Tag color="warning">{REASONS[row.reason]}</Tag>
        ) : row.isChosen ? (
          'chosen'
        ) : (
          REASONS[row.reason]
        ),
    },
    {
      title: 'Scored as',
      key: 'scale',
      render: (_, row) =>
        isChoice(row) ? (
          <Segmented
            size="small"
            aria-label={`Scale of ${row.name}`}
            options={SCALES}
            value={scaleOf(row) ?? 'nominal'}
            onChange={(scale) => onChoose(withScales(choices, [row.name], scale))}
          />
        ) : (
          <span className="muted">{row.scale == null ? 'shares of its options' : 'numbers'}</span>
        ),
    },
  ];
  return (
    <section aria-labelledby="people-scoring">
      <h3 id="people-scoring">How each question is scored</h3>
      <p className="muted">
        Ordinal and numeric questions get means, effects and correlations; nominal ones get shares. It can be
        changed after the run, because nothing that was asked depends on it.{' '}
        {open > 0 && `${count(open)} to decide; until then nominal. `}
        <FigureHelp about="files-of-peoples-answers">How scales are read</FigureHelp>
      </p>
      {picked.length > 0 && (
        <Flex gap="small" wrap align="center" role="group" aria-label="Score the chosen questions">
          <span>{count(picked.length)} chosen. Score as</span>
          {SCALES.map(({ value, label }) => (
            <Button
              key={value}
              size="small"
              onClick={() => {
                onChoose(withScales(choices, picked.map(String), value));
                setPicked([]);
              }}
            >
              {label}
            </Button>
          ))}
        </Flex>
      )}
      <DataTable
        rows={of}
        rowKey="name"
        columns={columns}
        name="questions"
        size={50}
        rowSelection={{
          selectedRowKeys: [...picked],
          onChange: (keys) => setPicked(keys),
          getCheckboxProps: (row) =>
            ({ disabled: !isChoice(row), 'aria-label': `Choose ${row.name}` }) as object,
        }}
      />
    </section>
  );
}

/** The ends of a scale with their codes, or the number of options. */
function asRead({ labels, codes, rows, scale }: Scored) {
  const [first, last] = [labels[0], labels.at(-1)];
  if (first === undefined || last === undefined) return 'a number';
  const of = rows > 1 ? `, ${count(rows)} rows` : '';
  if (scale === 'nominal' || scale == null) return `${count(labels.length)} options${of}`;
  return `${codes[0]} ${first} to ${codes.at(-1)} ${last}${of}`;
}

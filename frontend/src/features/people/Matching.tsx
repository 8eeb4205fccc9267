import { Alert, Button, Flex, InputNumber, Select } from 'antd';
import type { Compared } from '@/api/types';
import { questionColumn } from '@/charts/evidence/questionColumn';
import { DataTable, type Column } from '@/ui/DataTable';
import { count } from '@/ui/format';
import { ArmColumns } from './ArmColumns';
import {
  isEmpty,
  NO_CHOICES,
  rowsOf,
  takenBy,
  withColumns,
  withRecode,
  type Choices,
  type QuestionRow,
} from './matching';
import { Scoring } from './Scoring';

const NONE = 'none of them';
/** The value of the option “missing” in a select, whose other options are known by their place. */
const MISSING = -1;

/** The columns of questions and the meanings of cells, which the user can change and compare again. */
export function Matching({
  file,
  scoring,
  choices,
  onChoose,
  onCompare,
  busy,
  error,
}: {
  file: Compared['file'];
  scoring: Compared['scoring'];
  choices: Choices;
  onChoose: (choices: Choices) => void;
  onCompare: (choices: Choices) => void;
  busy: boolean;
  error: string | null;
}) {
  const rows = rowsOf(file, choices);
  const taken = takenBy(rows);
  const columns: Column<QuestionRow>[] = [
    questionColumn('30%'),
    {
      title: 'Column',
      key: 'column',
      width: '35%',
      render: (_, row) => (
        <div>
          <ColumnChoice
            row={row}
            columns={file.columns}
            taken={taken}
            onChange={(own) => onChoose(withColumns(choices, row.name, own))}
          />
          <div className="muted">{row.how}</div>
        </div>
      ),
    },
    {
      title: 'Cells that are no answer',
      key: 'cells',
      render: (_, row) => (
        <CellChoices
          row={row}
          onChange={(cell, answer) => onChoose(withRecode(choices, row.name, cell, answer))}
        />
      ),
    },
  ];
  return (
    <div className="people-matching">
      <p className="muted">
        Choose another column where the wrong one was found, and an option for cells that are none; what you
        do not choose counts as missing. Nothing changes before you compare again.
      </p>
      <ArmColumns file={file} choices={choices} onChoose={onChoose} />
      <Scoring of={scoring} choices={choices} onChoose={onChoose} />
      <h3>Which column is which question</h3>
      <DataTable rows={rows} rowKey="name" columns={columns} name="questions" size={50} />
      {error !== null && <Alert type="error" title={error} />}
      <Flex gap="small" wrap>
        <Button type="primary" loading={busy} onClick={() => onCompare(choices)}>
          Compare again
        </Button>
        {!isEmpty(choices) && (
          <Button disabled={busy} onClick={() => onCompare(NO_CHOICES)}>
            Match automatically
          </Button>
        )}
      </Flex>
    </div>
  );
}

function ColumnChoice({
  row: { name, columns: own, options, hasSeveralAnswers },
  columns,
  taken,
  onChange,
}: {
  row: QuestionRow;
  columns: readonly string[];
  taken: ReadonlyMap<string, string>;
  onChange: (columns: string[]) => void;
}) {
  // A column that was matched is among them, also where the file has its name twice.
  const offered = [...new Set([...columns, ...own])].map((column) => {
    const other = taken.get(column);
    const isOthers = other !== undefined && other !== name;
    return { value: column, label: isOthers ? `${column} (of ${other})` : column, disabled: isOthers };
  });
  const label = `Column of ${name}`;
  if (!hasSeveralAnswers)
    return (
      <Select
        aria-label={label}
        className="people-select"
        showSearch={{ optionFilterProp: 'label' }}
        value={own[0] ?? ''}
        options={[{ value: '', label: NONE, disabled: false }, ...offered]}
        onChange={(column) => onChange(column === '' ? [] : [column])}
      />
    );
  const isByOption = own.length > 1 && own.length === options.length;
  return (
    <>
      <Select
        aria-label={label}
        className="people-select"
        mode="multiple"
        placeholder={NONE}
        value={[...own]}
        options={offered}
        onChange={onChange}
      />
      {isByOption && (
        <div className="muted">{options.map((option, place) => `${option}: ${own[place]}`).join('; ')}</div>
      )}
      {own.length > 1 && !isByOption && (
        <div role="alert">
          One column, or one for each of the {options.length} options in their order: {options.join(', ')}
        </div>
      )}
    </>
  );
}

function CellChoices({
  row: { name, options, cells, more },
  onChange,
}: {
  row: QuestionRow;
  onChange: (cell: string, answer: string | null | undefined) => void;
}) {
  if (cells.length === 0) return '–';
  return (
    <ul className="people-cells">
      {cells.map(({ cell, count: times, answer }) => (
        <li key={cell}>
          <span>
            “{cell}”{times !== null && ` (${count(times)})`}
          </span>
          {options.length === 0 ? (
            <InputNumber
              aria-label={`“${cell}” of ${name}`}
              className="people-select"
              size="small"
              placeholder="missing"
              value={answer == null ? null : Number(answer)}
              onChange={(number) => onChange(cell, number === null ? undefined : String(number))}
            />
          ) : (
            <Select
              aria-label={`“${cell}” of ${name}`}
              className="people-select"
              size="small"
              placeholder="missing"
              {...(answer !== undefined && { value: answer === null ? MISSING : options.indexOf(answer) })}
              options={[
                { value: MISSING, label: 'missing' },
                ...options.map((option, place) => ({ value: place, label: option })),
              ]}
              onChange={(place) => onChange(cell, options[place] ?? null)}
            />
          )}
        </li>
      ))}
      {more > 0 && <li className="muted">and {count(more)} other texts, which count as missing</li>}
    </ul>
  );
}

import { Flex, Select, Tag } from 'antd';
import type { Compared } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { count } from '@/ui/format';
import { withArm, withArmColumn, type Choices } from './matching';

type Arms = Compared['file']['arms'];
type Node = Arms['matched'][number];
type Value = Node['values'][number];

const NO_COLUMN = '';
const NO_ARM = '';

const WAYS: Record<Node['by'], string> = {
  chosen: 'chosen',
  node_id: 'by Qualtrics’ own number of the node',
  name: 'by the name of the node',
  fields: 'by what its arms set',
  parts: 'from the nodes with the same arms',
};

const DEALS: Record<Node['deals'], string> = {
  one_arm: 'one of its arms is dealt',
  last_of_all: 'all are shown, and the last one holds',
  first_of_two: 'both parts are shown; the arm is which came first',
};

/** The column that says the arms of each random node, with the arm of each of its values. */
export function ArmColumns({
  file,
  choices,
  onChoose,
}: {
  file: Compared['file'];
  choices: Choices;
  onChoose: (choices: Choices) => void;
}) {
  const { matched, unmatched } = file.arms;
  if (matched.length === 0 && unmatched.length === 0) return null;
  const columnOf = (node: string, found: readonly string[], label: string) => (
    <Select
      aria-label={label}
      className="people-select"
      showSearch
      value={choices.arms[node]?.column ?? (choices.arms[node] === undefined ? found.join(' / ') : NO_COLUMN)}
      options={[
        { value: NO_COLUMN, label: 'none of them' },
        ...[...new Set([...(found.length > 1 ? [found.join(' / ')] : found), ...file.columns])].map(
          (column) => ({
            value: column,
            label: column,
          }),
        ),
      ]}
      onChange={(column) => onChoose(withArmColumn(choices, node, column === NO_COLUMN ? null : column))}
    />
  );
  return (
    <section aria-labelledby="people-arms">
      <h3 id="people-arms">Who was in which arm</h3>
      {matched.map((node) => (
        <div key={node.node}>
          <p>
            <code>{node.node}</code>{' '}
            <span className="muted">
              {DEALS[node.deals]}, {WAYS[node.by]}
            </span>
          </p>
          {node.by !== 'parts' && columnOf(node.node, node.columns, `Column of ${node.node}`)}
          <DataTable
            rows={node.values}
            rowKey="value"
            columns={columns(node, choices, onChoose)}
            name="values"
            size={50}
          />
          {node.agreeing.map(({ column, agrees, of }) => (
            <p key={column} className="muted">
              <code>{column}</code> says the same arm for {count(agrees)} of {count(of)}.
            </p>
          ))}
        </div>
      ))}
      {unmatched.map(({ node, reason, nearest, arms }) => (
        <Flex key={node} gap="small" wrap align="center">
          <code>{node}</code>
          <Tag color={arms.length > 0 ? 'warning' : 'default'}>
            {arms.length > 0 ? 'not matched' : 'no arms'}
          </Tag>
          <span>
            {reason}
            {nearest != null && arms.length > 0 && (
              <>
                ; the nearest column is <code>{nearest}</code>
              </>
            )}
          </span>
          {arms.length > 0 && columnOf(node, [], `Column of ${node}`)}
        </Flex>
      ))}
    </section>
  );
}

const columns = (
  { node, arms, by, deals, columns: found }: Node,
  choices: Choices,
  onChoose: (choices: Choices) => void,
): Column<Value>[] => [
  { title: 'Value', key: 'value', untitled: true, render: (_, { value }) => <code>{value}</code> },
  {
    title: 'Arm',
    key: 'arm',
    width: '55%',
    render: (_, { value, arm, nearest }) => {
      const said = choices.arms[node]?.values[value];
      return (
        <>
          {by === 'parts' || found.length > 1 || deals !== 'one_arm' ? (
            arm
          ) : (
            <Select
              aria-label={`Arm of ${value}`}
              className="people-select"
              value={(said === undefined ? arm : said) ?? NO_ARM}
              options={[
                { value: NO_ARM, label: 'in no arm' },
                ...arms.map((name) => ({ value: name, label: name })),
              ]}
              onChange={(name) =>
                onChoose(withArm(choices, node, found[0] ?? '', value, name === NO_ARM ? null : name))
              }
            />
          )}
          {nearest != null && said === undefined && <div className="muted">the nearest is {nearest}</div>}
        </>
      );
    },
  },
  { title: 'People', key: 'people', align: 'right', render: (_, { people }) => count(people) },
];

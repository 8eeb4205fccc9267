import { useState } from 'react';
import { Button, Table, type TableColumnType } from 'antd';
import type { TextTheme } from '@/api/types';
import { count } from '@/ui/format';
import { percent } from '@/ui/numbers';
import { type Part } from './figures';

/** Answers that share no words, as the server calls them. */
export const NOT_GROUPED = 'Not grouped';
/** Themes that are shown at once. */
const FEW = 8;
const SPARK = { bar: 7, gap: 2, height: 18 };

/** The themes of free texts, each with its share, by group where the charts are split. */
export function Themes({
  themes,
  groups,
  chosen,
  onChoose,
}: {
  themes: readonly TextTheme[];
  groups: readonly Part[];
  chosen: string | null;
  onChoose: (theme: string | null) => void;
}) {
  const [all, setAll] = useState(false);
  const named = themes.filter(({ name }) => name !== NOT_GROUPED);
  const rest = themes.filter(({ name }) => name === NOT_GROUPED);
  const shown = [...named.filter(({ name }, place) => all || place < FEW || name === chosen), ...rest];
  const grouped = named.reduce((sum, { n }) => sum + n, 0);
  const columns: TableColumnType<TextTheme>[] = [
    {
      title: 'Theme',
      key: 'theme',
      render: (_, { name }) => (
        <Button
          size="small"
          type={name === chosen ? 'primary' : 'text'}
          className="theme"
          aria-pressed={name === chosen}
          onClick={() => onChoose(name === chosen ? null : name)}
        >
          <span>{name}</span>
        </Button>
      ),
    },
    { title: 'Twins', key: 'twins', align: 'right', render: (_, { n }) => count(n) },
    { title: 'Share', key: 'share', align: 'right', render: (_, { share }) => percent(share, 1) },
  ];
  if (groups.length > 0) {
    columns.push({
      title: groups.length === 2 ? `${groups[0]?.name} → ${groups[1]?.name}` : 'By group',
      key: 'groups',
      className: 'theme-groups',
      render: (_, theme) => <ByGroup theme={theme} groups={groups} />,
    });
  }
  return (
    <div className="themes">
      <h3>
        Themes <span className="muted">{count(grouped)} answers share words</span>
      </h3>
      <Table
        size="small"
        pagination={false}
        rowKey="name"
        dataSource={shown}
        columns={columns}
        locale={{ emptyText: 'No answers' }}
      />
      {named.length > FEW && (
        <Button type="link" size="small" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer themes' : `Show all ${count(named.length)} themes`}
        </Button>
      )}
    </div>
  );
}

/** The share of the theme in each group: drawn, and the first and the last in figures. */
function ByGroup({ theme, groups }: { theme: TextTheme; groups: readonly Part[] }) {
  const shares = groups.map(({ name }) => theme.groups.find(({ value }) => value === name)?.share ?? 0);
  const most = Math.max(...shares, 0.01);
  const { bar, gap, height } = SPARK;
  const words = groups.map(({ name }, place) => `${name} ${percent(shares[place] ?? 0)}`).join(', ');
  return (
    <span className="theme-spark" title={words}>
      <svg width={groups.length * (bar + gap)} height={height} role="img" aria-label={words}>
        {shares.map((share, place) => {
          const tall = Math.max(1, (height * share) / most);
          return (
            <rect
              key={groups[place]?.name}
              x={place * (bar + gap)}
              y={height - tall}
              width={bar}
              height={tall}
              fill={groups[place]?.color ?? 'var(--chart-answer)'}
            />
          );
        })}
      </svg>
      <span aria-hidden="true">
        {percent(shares[0] ?? 0)} → {percent(shares.at(-1) ?? 0)}
      </span>
    </span>
  );
}

import { Collapse } from 'antd';
import type { Figure, ValidatedTask } from '@/api/validation';
import { count } from '@/ui/format';
import { formatDecimal } from '@/ui/numbers';
import { Figured } from './Figured';
import { ScrollTable } from './ScrollTable';

const heads = ['Items', 'People', 'Twins', 'Ceiling', 'Of the ceiling', 'Empty profile', 'Random'];
const ACCURACY_DIGITS = 3;

/** The figures of the chart of tasks. */
export function TaskTable({ tasks }: { tasks: readonly ValidatedTask[] }) {
  const cell = (figure: Figure | null | undefined) => <Figured figure={figure} digits={ACCURACY_DIGITS} />;
  return (
    <Collapse
      size="small"
      className="screen-only"
      items={[
        {
          key: 'table',
          label: 'Accuracy by task as a table',
          children: (
            <ScrollTable caption="Accuracy by task, with 95 % CI">
              <thead>
                <tr>
                  <th scope="col">Task</th>
                  {heads.map((head) => (
                    <th key={head} scope="col">
                      {head}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {tasks.map(({ key, title, items, people, twins, ceiling, ofCeiling, empty, random }) => (
                  <tr key={key}>
                    <th scope="row">{title}</th>
                    <td>{count(items)}</td>
                    <td>{count(people)}</td>
                    <td>{cell(twins)}</td>
                    <td>{cell(ceiling)}</td>
                    <td>{ofCeiling == null ? '–' : formatDecimal(ofCeiling)}</td>
                    <td>{cell(empty)}</td>
                    <td>{random == null ? '–' : formatDecimal(random, ACCURACY_DIGITS)}</td>
                  </tr>
                ))}
              </tbody>
            </ScrollTable>
          ),
        },
      ]}
    />
  );
}

import { render, screen, within } from '@testing-library/react';
import { App } from 'antd';
import { MemoryRouter } from 'react-router';
import { expect, it } from 'vitest';
import type { Validation } from '@/api/validation';
import { validation } from '@/testing/validation';
import { TaskChart } from './TaskChart';
import { TrustPanel } from './TrustPanel';
import { newUser } from '@/testing/render';

const show = (changed: Partial<Validation> = {}, arm = 'wave1_3') =>
  render(
    <MemoryRouter>
      <TrustPanel of={{ ...validation, ...changed }} arm={arm} own="this run’s profile" />
    </MemoryRouter>,
  );

const row = (name: RegExp) => within(screen.getByRole('table')).getByRole('row', { name });

it('each arm has its figures with their intervals, and the run’s own are described in words', () => {
  show();
  expect(screen.getByRole('region', { name: 'How far to trust this' })).toBeVisible();
  const table = screen.getByRole('table', { name: 'Accuracy and the like of each arm, with 95 % CI' });
  const heads = within(table).getAllByRole('columnheader');
  expect(heads.map(({ textContent }) => textContent)).toEqual([
    'Arm',
    'Accuracy',
    'Of the ceiling',
    'r',
    'SD ratio',
    '|Glass|',
    'Exact',
  ]);
  expect(within(table).getAllByRole('rowheader')).toHaveLength(validation.arms.length);
  const own = row(/^Waves 1-3 this run’s profile/);
  const cells = within(own).getAllByRole('cell');
  expect(cells.map(({ textContent }) => textContent)).toEqual([
    '.724 [.712, .736]',
    '.89 [.88, .91]',
    '.21 [.15, .27]',
    '.62 [.57, .67]',
    '.31 [.27, .35]',
    '.40 [.38, .42]',
  ]);
  expect(row(/^The same people/)).toHaveTextContent('1 by definition');
  expect(row(/^Summary/)).toHaveTextContent('not provably leak-free');
  expect(screen.getAllByText(/this run’s profile/)).toHaveLength(1);
  expect(row(/^Median answer the most accurate without a model/)).toBeVisible();
});

it('with repeats r is also shown without noise', () => {
  const arms = validation.arms.map((arm) =>
    arm.key === 'wave1_3'
      ? { ...arm, disattenuated: { value: 0.31, low: 0.22, high: 0.4, n: 100 }, disattenuatedItems: 12 }
      : arm,
  );
  show({ arms });
  const table = screen.getByRole('table', { name: /^Accuracy and the like/ });
  const heads = within(table)
    .getAllByRole('columnheader')
    .map(({ textContent }) => textContent);
  expect(heads.slice(3, 5)).toEqual(['r', 'r without noise']);
  expect(within(row(/^Waves 1-3/)).getAllByRole('cell')[3]).toHaveTextContent('.31 [.22, .40]');
  expect(within(row(/^Empty/)).getAllByRole('cell')[3]).toHaveTextContent(/^–$/);
});

it('an arm without answers has no figures', () => {
  const arms = validation.arms.map((arm) => ({ ...arm, accuracy: null }));
  show({ arms });
  expect(within(row(/^Empty/)).getAllByRole('cell')[0]).toHaveTextContent(/^–$/);
});

it('verdicts are shown in words as well as by a mark', () => {
  show();
  const verdicts = within(screen.getByRole('list', { name: 'Verdicts' })).getAllByRole('listitem');
  expect(verdicts.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Not shown: Do not use individual answers\./),
    expect.stringMatching(
      /^Cannot tell: Too few twins to tell whether spread is understated\..*About 130 twins/,
    ),
    expect.stringMatching(/^Shown: The profile adds something/),
    expect.stringMatching(/^Not shown: Not more accurate than the best answer without a model\./),
  ]);
  expect(screen.queryByText('So far')).not.toBeInTheDocument();
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
});

it('the verdicts are those of the arm that is looked at', () => {
  const own = { state: 'shown' as const, title: 'Individual answers carry information.', text: 'r = .40' };
  const arms = validation.arms.map((arm) => (arm.key === 'summary' ? { ...arm, verdicts: [own] } : arm));
  show({ arms }, 'summary');
  const verdicts = within(screen.getByRole('list', { name: 'Verdicts' })).getAllByRole('listitem');
  expect(verdicts.map(({ textContent }) => textContent)).toEqual([`Shown: ${own.title}${own.text}`]);
});

it('with a leak there is no verdict', () => {
  show({ leaks: [{ step: 'wording', text: 'q12 stands in 40 profiles' }] });
  expect(screen.queryByRole('list', { name: 'Verdicts' })).not.toBeInTheDocument();
  expect(screen.getByRole('alert')).toHaveTextContent('wording: q12 stands in 40 profiles');
});

it('what is not finished, and what is invented, says so', () => {
  const arms = validation.arms.map((arm) => ({ ...arm, verdicts: [] }));
  show({ finished: false, arms, synthetic: true, notice: 'invented people' });
  expect(screen.getByText('So far')).toBeVisible();
  expect(screen.getByText('Too little is answered for a verdict yet.')).toBeVisible();
  expect(screen.getByRole('status')).toHaveTextContent('Invented people.');
});

it('repeats say how alike their answers were', () => {
  show({ repeats: { twins: 100, repeats: 3, identical: 0.81, icc: 0.84, repeatsFor90: 5 } });
  expect(screen.getByRole('heading', { name: 'Waves 1-3, asked 3 times' }).parentElement).toHaveTextContent(
    'ICC .84. 81 % of answers were the same again. 5 repeats reach an ICC of .90.',
  );
});

it('each figure is explained in place, and its formula elsewhere', async () => {
  show();
  expect(screen.getByRole('link', { name: 'What each figure means' })).toHaveAttribute(
    'href',
    '/evidence#validation',
  );
  await newUser().click(screen.getByRole('button', { name: /The figures, in a sentence each/ }));
  expect(await screen.findByText(/^Correlation of twins with their own people/)).toBeVisible();
});

it('a task is drawn between chance and the ceiling, and stands in a table', async () => {
  const [only] = validation.tasks;
  if (only === undefined) throw new Error('the fixture has a task');
  render(
    <MemoryRouter>
      <App>
        <TaskChart of={{ ...validation, tasks: [only] }} />
      </App>
    </MemoryRouter>,
  );
  const drawing = screen.getByRole('img', { name: 'Accuracy by task' });
  expect(drawing).toHaveTextContent('Twins (Waves 1-3), 95 % CI');
  expect(drawing).toHaveTextContent('.562.759.74');
  // The last of each mark is the task's: those before stand in the legend.
  const last = (selector: string, at: string) =>
    Number([...drawing.querySelectorAll(selector)].at(-1)?.getAttribute(at));
  const dot = last('circle[fill="var(--chart-answer)"]', 'cx');
  const ceiling = last('line[stroke="var(--ink)"]', 'x1');
  const random = last('line[stroke-dasharray]', 'x1');
  expect((dot - random) / (ceiling - random)).toBeCloseTo((0.562 - 0.5) / (0.759 - 0.5));
  await newUser().click(screen.getByRole('button', { name: /as a table/ }));
  const line = within(await screen.findByRole('table')).getByRole('row', { name: /^Allais/ });
  expect(line).toHaveTextContent('Allais2100.562 [.527, .597].759 [.749, .769].74.560 [.540, .580].500');
});

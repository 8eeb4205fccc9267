import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ALL, type Figures, type Part } from './figures';
import { Means } from './Means';
import { numberAxis } from './scale';

const figures = (means: Record<string, number>): Figures => ({
  n: 100,
  counts: [],
  bins: [],
  rows: Object.entries(means).map(([row, mean]) => ({
    row,
    n: 100,
    mean,
    sd: 10,
    meanLow: mean - 1.98,
    meanHigh: mean + 1.98,
    counts: [
      { value: '1', count: 61, share: 0.61 },
      { value: '2', count: 39, share: 0.39 },
    ],
  })),
});
const all: Part = { name: ALL, figures: figures({ Rent: 60, Food: 40 }) };
const place = { rows: ['Rent', 'Food'], ends: [0, 62] as const, label: 'Budget' };

it('says the mean of each option with its interval, at every width', () => {
  for (const width of [320, 900]) {
    const { unmount } = render(<Means every={[all]} type="CONSTANT_SUM" width={width} {...place} />);
    const drawing = screen.getByRole('img', { name: 'Budget' });
    expect(drawing).toHaveTextContent('60.00 ± 1.98');
    expect(drawing).toHaveTextContent('40.00 ± 1.98');
    const bars = [...drawing.querySelectorAll('rect')].map((bar) => Number(bar.getAttribute('width')));
    expect((bars[0] ?? 0) / (bars[1] ?? 1)).toBeCloseTo(1.5, 5);
    unmount();
  }
});

it('shows ranks as points on the scale of all ranks, and the share of first places', () => {
  const ranks: Part = { name: ALL, figures: figures({ Rent: 1, Food: 2 }) };
  render(<Means every={[ranks]} type="RANK" width={900} {...place} />);
  const drawing = screen.getByRole('img', { name: 'Budget' });
  expect(drawing.querySelectorAll('rect')).toHaveLength(0);
  const [first = 0, last = 0] = [...drawing.querySelectorAll('circle')].map((each) =>
    Number(each.getAttribute('cx')),
  );
  expect(last).toBeGreaterThan(first);
  expect(drawing).toHaveTextContent('1.00 ± 1.98 · 61 % first');
});

it('draws a group below the other under each option', () => {
  const women: Part = { name: 'Women', figures: figures({ Rent: 50, Food: 50 }) };
  render(<Means every={[all, women]} type="CONSTANT_SUM" width={900} {...place} />);
  const drawing = screen.getByRole('img', { name: 'Budget' });
  expect(drawing.querySelectorAll('rect')).toHaveLength(4);
  expect(drawing).toHaveTextContent('50.00 ± 1.98');
});

it('ends the axis of numbers at a round one', () => {
  expect([0.3, 34.2, 41, 62, 99.5, 100, 101].map(numberAxis)).toEqual([0.4, 40, 50, 80, 100, 100, 200]);
});

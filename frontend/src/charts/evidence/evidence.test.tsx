import { render, screen } from '@testing-library/react';
import { App } from 'antd';
import { MemoryRouter } from 'react-router';
import { expect, it, vi } from 'vitest';
import * as files from '@/api/saveFile';
import { Dots } from './Dots';
import { EvidenceChart } from './EvidenceChart';
import { Reliability } from './Reliability';
import { Slope } from './Slope';
import { StepPair } from './StepPair';
import { newUser } from '@/testing/render';

it('dots tell their values and intervals, and where there is none', () => {
  const dots = [
    { name: 'fair', value: 0.75, low: 0.7, high: 0.8 },
    { name: 'pay', value: 0.5, low: null, high: null },
  ];
  render(<Dots dots={dots} ends={[0, 1]} width={700} label="Accuracy" />);
  const drawing = screen.getByRole('img', { name: 'Accuracy' });
  expect(drawing).toHaveTextContent('0.75 [0.70, 0.80]');
  expect(drawing).toHaveTextContent('0.50');
  expect(drawing.querySelectorAll('circle')).toHaveLength(2);
  // A quarter of the axis lies between .5 and .75, wherever it begins.
  const [fair, pay] = [...drawing.querySelectorAll('circle')].map((dot) => Number(dot.getAttribute('cx')));
  const ticks = [...drawing.querySelectorAll('line[stroke="var(--line)"]')].map((line) =>
    Number(line.getAttribute('x1')),
  );
  expect((fair ?? 0) - (pay ?? 0)).toBeCloseTo(((ticks[2] ?? 0) - (ticks[0] ?? 0)) / 4);
});

it('an effect of the same size lies on the diagonal', () => {
  const same = { value: 1, low: 0.5, high: 1.5 };
  render(<Slope effects={[{ name: 'fair', people: same, twins: same }]} width={400} label="Effects" />);
  const drawing = screen.getByRole('img', { name: 'Effects' });
  const dot = drawing.querySelector('circle');
  const diagonal = drawing.querySelector('line[stroke-dasharray]');
  const at = (name: string) => Number(diagonal?.getAttribute(name));
  const along = (Number(dot?.getAttribute('cx')) - at('x1')) / (at('x2') - at('x1'));
  const up = (Number(dot?.getAttribute('cy')) - at('y1')) / (at('y2') - at('y1'));
  expect(along).toBeCloseTo(up);
});

it('what comes true as often as forecast lies on the diagonal, and more forecasts are larger', () => {
  const bins = [
    { n: 100, forecast: 0.25, observed: 0.25, low: 0.17, high: 0.35 },
    { n: 4, forecast: 0.75, observed: 0.5, low: null, high: null },
  ];
  render(<Reliability bins={bins} width={400} label="Forecasts" />);
  const drawing = screen.getByRole('img', { name: 'Forecasts' });
  const diagonal = drawing.querySelector('line[stroke-dasharray]');
  const at = (element: Element | null | undefined, name: string) => Number(element?.getAttribute(name));
  const [sure, unsure] = [...drawing.querySelectorAll('circle')];
  const gap = (dot: Element | undefined) => {
    const along = (at(dot, 'cx') - at(diagonal, 'x1')) / (at(diagonal, 'x2') - at(diagonal, 'x1'));
    const up = (at(dot, 'cy') - at(diagonal, 'y1')) / (at(diagonal, 'y2') - at(diagonal, 'y1'));
    return up - along;
  };
  expect(gap(sure)).toBeCloseTo(0);
  expect(gap(unsure)).toBeCloseTo(-0.25);
  expect(at(sure, 'r')).toBeGreaterThan(at(unsure, 'r'));
  expect(drawing).toHaveTextContent('25 % forecast, 25 % came true [17 %, 35 %], 100 forecasts');
  expect(drawing.querySelectorAll('line[stroke="var(--ink)"]')).toHaveLength(1);
});

it('distribution functions are steps from 0 to all answers', () => {
  const points = [
    { value: 1, people: 0.5, twins: 0 },
    { value: 3, people: 1, twins: 1 },
  ];
  render(<StepPair points={points} width={700} label="Distributions" />);
  const drawing = screen.getByRole('img', { name: 'Distributions' });
  expect(drawing).toHaveTextContent('PeopleTwins');
  const heights = [...drawing.querySelectorAll('path')].map((path) =>
    [...(path.getAttribute('d') ?? '').matchAll(/V([\d.]+)/g)].map(([, at]) => Number(at)),
  );
  // Twins are drawn first. A line of the axis stands at no, half and all of the answers.
  const [none, half, all] = [...drawing.querySelectorAll('line[stroke="var(--line)"]')].map((line) =>
    Number(line.getAttribute('y1')),
  );
  expect(heights).toEqual([
    [none, all],
    [half, all],
  ]);
});

it('saves the table that a chart shows', async () => {
  const saved = vi.spyOn(files, 'saveFile').mockImplementation(() => undefined);
  render(
    <MemoryRouter>
      <App>
        <EvidenceChart title="Accuracy" meta="" about="intervals" lines={[['question'], ['fair']]}>
          {() => null}
        </EvidenceChart>
      </App>
    </MemoryRouter>,
  );
  await newUser().click(screen.getByRole('button', { name: 'CSV' }));
  const [blob, name] = saved.mock.calls[0] ?? [];
  expect(name).toBe('evidence-accuracy.csv');
  expect(await (blob as Blob).text()).toContain('question\r\nfair');
});

import { render, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { QuestionSummary } from '@/api/types';
import { Presenter } from './Presenter';
import { newUser } from '@/testing/render';
import { untested } from '@/testing/summaries';

const bus: QuestionSummary = {
  questionId: 1,
  order: 1,
  text: 'How do you get to work?',
  questionType: 'SINGLE_CHOICE',
  ...untested,
  n: 10,
  counts: [
    { value: 'Bus', count: 3, share: 0.3 },
    { value: 'Car', count: 7, share: 0.7 },
  ],
  rows: [],
  bins: [],
  texts: [],
  groups: [],
};
const sleep: QuestionSummary = {
  ...bus,
  questionId: 2,
  order: 2,
  text: 'How long did you sleep?',
  questionType: 'NUMBER',
  ...untested,
  counts: [],
  mean: 7.5,
  bins: [
    { from: 0, to: 6, count: 1, share: 0.1 },
    { from: 6, to: 12, count: 9, share: 0.9 },
  ],
};
const onLeave = vi.fn();
const onSplit = vi.fn();

function Wall() {
  const [at, setAt] = useState(0);
  return (
    <Presenter
      show={{
        questions: [bus, sleep],
        groups: [],
        attributes: ['Age', 'Gender'],
        twins: 12,
        model: 'demo model',
        partial: true,
      }}
      by=""
      {...{ at, onMove: setAt, onSplit, onLeave }}
    />
  );
}

it('counts the twins who have answered, and writes no braces', async () => {
  const user = newUser();
  const fee = { ...bus, text: 'How fair is {{field:fee}}?' };
  fee.counts = [{ value: 'Fairer than {{field:other}}', count: 10, share: 1 }];
  render(
    <Presenter
      show={{ questions: [fee], groups: [], attributes: [], twins: 1500, model: 'demo model', partial: true }}
      at={0}
      by=""
      {...{ onMove: vi.fn(), onSplit, onLeave }}
    />,
  );
  expect(screen.getByText(/n = 10 of 1,500 twins/)).toBeVisible();
  await user.keyboard(' ');
  expect(screen.getByText('fee', { selector: 'mark' })).toBeVisible();
  expect(screen.getByText('Fairer than [other]', { selector: 'dt' })).toBeVisible();
  expect(document.body).not.toHaveTextContent('{{');
});

it('keeps the answers to itself until the room has guessed', async () => {
  const user = newUser();
  render(<Wall />);
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('How do you get to work?');
  expect(screen.getByText('How many of 12 twins say “Bus”?')).toBeVisible();
  expect(document.body).not.toHaveTextContent('30 %');
  await user.keyboard('55');
  expect(screen.getByRole('slider')).toHaveValue('55');
  await user.keyboard(' ');
  expect(screen.getByRole('status')).toHaveTextContent('30 % say “Bus”');
  expect(screen.getByRole('status')).toHaveTextContent('The room’s guess: 55 %, 25 points too many');
  expect(document.body).toHaveTextContent('Live, partial');
  await user.keyboard(' ');
  expect(document.body).not.toHaveTextContent('30 %');
});

it('lets the room guess another answer', async () => {
  const user = newUser();
  render(<Wall />);
  await user.click(screen.getByRole('button', { name: 'Car' }));
  await user.click(screen.getByRole('button', { name: 'Reveal' }));
  expect(screen.getByRole('status')).toHaveTextContent('70 % say “Car”');
});

it('is led from the keyboard', async () => {
  const user = newUser();
  render(<Wall />);
  await user.keyboard('{ArrowRight}');
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('How long did you sleep?');
  await user.keyboard('9 ');
  expect(screen.getByRole('status')).toHaveTextContent('7.5 on average');
  expect(screen.getByRole('status')).toHaveTextContent('The room’s guess: 9, 1.5 too high');
  await user.keyboard('s');
  expect(onSplit).toHaveBeenCalledWith('Age');
  await user.keyboard('b');
  expect(screen.queryByRole('heading')).not.toBeInTheDocument();
  await user.keyboard('b{ArrowLeft}{Escape}');
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('How do you get to work?');
  expect(onLeave).toHaveBeenCalledOnce();
});

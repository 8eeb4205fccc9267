import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { config } from '@/testing/fixtures';
import { CostEstimate } from './CostEstimate';

it.each([
  { limit: 'a limit of calls', changed: { requestsPerMinute: 60 }, time: '2 min' },
  { limit: 'the demo model', changed: {}, time: 'under a minute' },
  { limit: 'a model server without limits', changed: { demoModel: false }, time: 'up to the model server' },
])('the time of a run is estimated before it starts: $limit', ({ changed, time }) => {
  render(<CostEstimate personas={120} config={{ ...config, ...changed }} />);
  expect(screen.getByText('Time, about').nextElementSibling).toHaveTextContent(time);
});

import { act, render, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { useNearViewport } from './useNearViewport';

let idle: (() => void) | null;

beforeEach(() => {
  idle = null;
  // Nothing is ever scrolled to.
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      observe = () => undefined;
      disconnect = () => undefined;
    },
  );
  vi.stubGlobal('requestIdleCallback', (task: () => void) => {
    idle = task;
    return 1;
  });
  vi.stubGlobal('cancelIdleCallback', () => (idle = null));
});

function Card({ early }: { early: boolean }) {
  const [near, ref] = useNearViewport(early);
  return <p ref={ref}>{near ? 'drawn' : 'not yet'}</p>;
}

it('what has to be asked for is drawn once the browser is idle, so that it is there to be printed', () => {
  render(<Card early />);
  expect(screen.getByText('not yet')).toBeVisible();
  act(() => idle?.());
  expect(screen.getByText('drawn')).toBeVisible();
});

it('what can be drawn at once waits for the paper', () => {
  render(<Card early={false} />);
  expect(idle).toBeNull();
  act(() => void window.dispatchEvent(new Event('beforeprint')));
  expect(screen.getByText('drawn')).toBeVisible();
});

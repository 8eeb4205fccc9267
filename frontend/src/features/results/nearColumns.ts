import { useState, type UIEvent } from 'react';

/** Pixels: the widest that the page shows, how far one scrolls before other columns are drawn, and what is drawn beyond. */
const SHOWN_PX = 1600;
const STEP_PX = 800;
const MARGIN_PX = 600;

interface ColumnWindow {
  /** The first column that is drawn, and the one after the last. */
  first: number;
  end: number;
  /** Width in pixels of those before and after. */
  before: number;
  after: number;
}

/** Returns the columns near the visible part of a table that is scrolled to the step `step`. */
export function nearColumns(widths: readonly number[], step: number): ColumnWindow {
  const low = step * STEP_PX - MARGIN_PX;
  const high = (step + 1) * STEP_PX + SHOWN_PX + MARGIN_PX;
  const near: ColumnWindow = { first: 0, end: 0, before: 0, after: 0 };
  let left = 0;
  for (const [place, width] of widths.entries()) {
    if (left + width <= low) {
      near.first = place + 1;
      near.before += width;
    } else if (left < high) near.end = place + 1;
    else near.after += width;
    left += width;
  }
  return near;
}

/**
 * The columns of a table that are drawn, as it scrolls: of 500 questions a screen shows eight, and 25,000 cells take a
 * second to draw. Another page starts at the left again.
 */
export function useNearColumns(widths: readonly number[], page: number) {
  const [seen, setSeen] = useState({ page, step: 0 });
  const near = nearColumns(widths, seen.page === page ? seen.step : 0);
  const onScroll = ({ currentTarget }: UIEvent<HTMLElement>) => {
    const step = Math.floor(Math.max(0, currentTarget.scrollLeft) / STEP_PX);
    setSeen((before) => (before.page === page && before.step === step ? before : { page, step }));
  };
  return { near, onScroll };
}

import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { VirtualTable } from './VirtualTable';

const rows = Array.from({ length: 2000 }, (_, index) => index);
const columns = [{ key: 'number', title: 'Number', width: 100, render: (row: number) => `Row ${row}` }];

it('a long table draws the rows in sight, and others once they are scrolled to', () => {
  render(<VirtualTable rows={rows} keyOf={(row) => row} columns={columns} name="Numbers" />);
  expect(screen.getByText('Row 0')).toBeInTheDocument();
  expect(screen.queryByText('Row 100')).not.toBeInTheDocument();
  expect(screen.getAllByText(/^Row/).length).toBeLessThan(50);

  const window = screen.getByRole('region', { name: 'Numbers' });
  window.scrollTop = 42 * 1000;
  fireEvent.scroll(window);
  expect(screen.getByText('Row 1000')).toBeInTheDocument();
  expect(screen.queryByText('Row 0')).not.toBeInTheDocument();
  expect(screen.getAllByText(/^Row/).length).toBeLessThan(50);
});

it('a table scrolled beyond its end shows its end', () => {
  render(<VirtualTable rows={rows} keyOf={(row) => row} columns={columns} name="Numbers" />);
  const window = screen.getByRole('region', { name: 'Numbers' });
  window.scrollTop = 42 * 5000;
  fireEvent.scroll(window);
  expect(screen.getByText('Row 1999')).toBeInTheDocument();
});

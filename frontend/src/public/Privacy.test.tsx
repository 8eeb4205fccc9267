import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { kept } from '@/api/kept';
import { visit } from '@/testing/render';
import { mockServer } from '@/testing/server';

beforeEach(() => {
  mockServer();
});

it('has nine sections, and lists what is collected and all that the browser keeps', async () => {
  visit('/privacy');
  const headings = await screen.findAllByRole('heading', { level: 2, name: /^\d+\. / });
  expect(headings.map((heading) => heading.textContent)).toEqual([
    '1. Information We Collect',
    '2. How We Use It',
    '3. No Tracking, No Cookies',
    '4. Sharing',
    '5. The People Behind the Twins',
    '6. Security and Retention',
    '7. Your Rights',
    '8. Age',
    '9. Changes and Contact',
  ]);
  const section = (place: number) => within(headings[place]?.closest('section') as HTMLElement);
  for (const what of [
    /your name and photo/,
    /institution, purpose and description/,
    /answers of other people/,
  ])
    expect(section(0).getAllByText(what).length).toBeGreaterThan(0);
  expect(section(3).getByText(/change or delete answers of other people/)).toBeVisible();
  const listed = section(2).getAllByText((_, element) => element?.tagName === 'CODE');
  expect(listed.map((key) => key.textContent?.replace('…', ''))).toEqual(Object.keys(kept));
});

import { expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { isOrdered } from './palette';

const tokens = readFileSync('src/ui/tokens.css', 'utf8');

type Rgb = readonly [number, number, number];

/** Colours as seen without one of the three kinds of cones, over linear RGB: Machado, Oliveira and Fernandes 2009. */
const EYES: Record<string, readonly [Rgb, Rgb, Rgb]> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** Distances in CIE Lab that can be distinguished side by side, and within a ramp that a legend shows in its order. */
const APART = 20;
const A_STEP = 12;

const themes: Record<string, string> = {
  light: tokens.slice(0, tokens.indexOf("[data-theme='dark']")),
  dark: tokens.slice(tokens.indexOf("[data-theme='dark']")),
};

function colorOf(theme: string, token: string): Rgb {
  const hex = new RegExp(`--${token}: #(\\w{6});`).exec(themes[theme] ?? '')?.[1];
  if (hex === undefined) throw new Error(`${theme} has no ${token}`);
  const part = (at: number) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(0), part(2), part(4)];
}

const times = (row: Rgb, [r, g, b]: Rgb) => row[0] * r + row[1] * g + row[2] * b;

function lab(rgb: Rgb): Rgb {
  const [r, g, b] = rgb.map((part) => Math.min(1, Math.max(0, part))) as unknown as Rgb;
  const root = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  const x = root(times([0.4124564, 0.3575761, 0.1804375], [r, g, b]) / 0.95047);
  const y = root(times([0.2126729, 0.7151522, 0.072175], [r, g, b]));
  const z = root(times([0.0193339, 0.119192, 0.9503041], [r, g, b]) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);

it.each([
  ['groups without an order', numbered('chart', 6), APART],
  ['groups with an order', numbered('group', 5), A_STEP],
  ['degrees of agreement', ['div-n2', 'div-n1', 'div-0', 'div-p1', 'div-p2'], APART],
  ['answers and their mean', ['chart-answer', 'chart-mean'], APART],
])('colour-blind eyes tell %s apart, in both themes', (_, tokensOf, least) => {
  for (const theme of Object.keys(themes)) {
    for (const [eyes, matrix] of Object.entries(EYES)) {
      const seen = tokensOf.map((token) => {
        const color = colorOf(theme, token);
        return lab(matrix.map((row) => times(row, color)) as unknown as Rgb);
      });
      seen.forEach((one, at) => {
        seen.slice(at + 1).forEach((other, after) => {
          const distance = Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
          const which = `${theme}, ${eyes}: ${tokensOf[at] ?? ''} and ${tokensOf[at + 1 + after] ?? ''}`;
          expect(distance, which).toBeGreaterThan(least);
        });
      });
    }
  }
});

it('values have an order by the stated scale of their question, or else by their words', () => {
  expect(isOrdered(['Nie', 'Manchmal', 'Immer'], 'ordinal')).toBe(true);
  expect(isOrdered(['Bus 1', 'Bus 2', 'Bus 3'], 'nominal')).toBe(false);
  expect(isOrdered(['18-29', '30-49', '50-64', '65+'])).toBe(true);
  expect(isOrdered(['Male', 'Female'])).toBe(false);
  expect(isOrdered(['Roman Catholic', 'Protestant', 'Jewish'])).toBe(false);
});

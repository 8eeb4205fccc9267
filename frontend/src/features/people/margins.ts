type Margins = Record<string, Record<string, number>>;

/** `Female = 52 %` or `Female = 0.52`; `null`: it is neither. */
function shareOf(text: string): { of: string; share: number } | null {
  const [, of, number, percent] = /^(.+)=\s*([\d.]+)\s*(%?)$/.exec(text) ?? [];
  if (of === undefined) return null;
  return { of: of.trim(), share: Number(number) / (percent === '%' ? 100 : 1) };
}

/**
 * Shares of a population, an attribute a line: `Gender: Female = 0.52; Male = 0.48`. Percentages count as such where they have a
 * sign. A string says which line cannot be read.
 */
export function marginsOf(text: string): Margins | string {
  const margins: Margins = {};
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const colon = line.indexOf(':');
    const levels = line.slice(colon + 1).split(';');
    const shares = levels.flatMap((level) => shareOf(level.trim()) ?? []);
    if (colon < 1 || shares.length < levels.length) return line;
    margins[line.slice(0, colon).trim()] = Object.fromEntries(shares.map(({ of, share }) => [of, share]));
  }
  return margins;
}

type CellShares = Record<string, number>;

/** Shares of cells, a cell a line: `Female · 18-29 = 11 %`. A string says which line cannot be read. */
function cellSharesOf(text: string): CellShares | string {
  const shares: CellShares = {};
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const found = shareOf(line);
    if (found === null) return line;
    const cell = found.of.split('·').map((value) => value.trim());
    shares[cell.join(' · ')] = found.share;
  }
  return shares;
}

/** Writes shares in the form that {@link cellSharesOf} reads. */
export const cellSharesText = (shares: Readonly<CellShares>) =>
  Object.entries(shares)
    .map(([cell, share]) => `${cell} = ${share}`)
    .join('\n');

type Formulas = Record<string, string>;

/** Formulas of outcomes, an outcome a line: `trust = mean(honest, reverse(greedy))`. A string says which line cannot be read. */
function formulasOf(text: string): Formulas | string {
  const formulas: Formulas = {};
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const [, name, formula] = /^([^=]+)=(.+)$/.exec(line) ?? [];
    if (name === undefined || formula === undefined) return line;
    formulas[name.trim()] = formula.trim();
  }
  return formulas;
}

/** Writes formulas in the form that {@link formulasOf} reads; they are missing where there are none. */
export const formulasText = (formulas: Readonly<Formulas> | undefined) =>
  Object.entries(formulas ?? {})
    .map(([name, formula]) => `${name} = ${formula}`)
    .join('\n');

/** Shares and formulas as the user types them. */
export const NO_SHARES = { margins: '', cells: '', formulas: '' };

export type ShareTexts = typeof NO_SHARES;

/** Parses the typed shares and formulas for a call. A string says what cannot be read. */
export function sharesOf(
  texts: ShareTexts,
): { margins: Margins; cellShares: CellShares; formulas: Formulas } | string {
  const margins = marginsOf(texts.margins);
  if (typeof margins === 'string')
    return `Shares of the population: “${margins}” is no line like “Gender: Female = 52 %; Male = 48 %”`;
  const cellShares = cellSharesOf(texts.cells);
  if (typeof cellShares === 'string')
    return `Shares of the cells: “${cellShares}” is no line like “Female · 18-29 = 11 %”`;
  const formulas = formulasOf(texts.formulas);
  if (typeof formulas === 'string')
    return `Outcomes: “${formulas}” is no line like “trust = mean(honest, reverse(greedy))”`;
  return { margins, cellShares, formulas };
}

/** Writes margins in the form that {@link marginsOf} reads. */
export const marginsText = (margins: Readonly<Margins>) =>
  Object.entries(margins)
    .map(([name, shares]) => {
      const levels = Object.entries(shares).map(([level, share]) => `${level} = ${share}`);
      return `${name}: ${levels.join('; ')}`;
    })
    .join('\n');

export type Margins = Record<string, Record<string, number>>;

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
    const shares = levels.map((level) => /^(.+)=\s*([\d.]+)\s*(%?)$/.exec(level.trim()));
    if (colon < 1 || shares.some((share) => share === null)) return line;
    margins[line.slice(0, colon).trim()] = Object.fromEntries(
      shares.map((share) => [(share?.[1] ?? '').trim(), Number(share?.[2]) / (share?.[3] === '%' ? 100 : 1)]),
    );
  }
  return margins;
}

/** Of a line that cannot be read. */
export const unreadable = (line: string) =>
  `Shares of the population: “${line}” is no line like “Gender: Female = 52 %; Male = 48 %”`;

/** As {@link marginsOf} reads it. */
export const marginsText = (margins: Readonly<Margins>) =>
  Object.entries(margins)
    .map(([name, shares]) => {
      const levels = Object.entries(shares).map(([level, share]) => `${level} = ${share}`);
      return `${name}: ${levels.join('; ')}`;
    })
    .join('\n');

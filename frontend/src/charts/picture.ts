import font from '@fontsource-variable/public-sans/files/public-sans-latin-wght-normal.woff2?url';
import { FAMILY, LINE_PX, TEXT_PX, wrap } from './text';

/** The texts around a drawing that is saved on its own. */
export interface Words {
  title: string;
  meta: string;
  /** The text of the tests. */
  finding: string;
  source: string;
}

const PADDING = 28;
const TITLE_PX = 19;
const TITLE_LINE = 26;
/** Narrow drawings leave room for their words. */
const LEAST_WIDTH = 480;
/** Pixels of a picture per pixel of the page. */
const DENSITY = 2;

/** A chart as an SVG file: with its words and its colours as they are now, and text that stays text. */
export function svgOf(drawing: SVGSVGElement, words: Words, style = ''): string {
  const inner = Math.max(LEAST_WIDTH, drawing.width.baseVal.value);
  const width = inner + 2 * PADDING;
  // The title is larger than what `wrap` measures.
  const title = wrap(words.title, (inner * TEXT_PX) / TITLE_PX, 6, 600);
  const meta = wrap(words.meta, inner, 3);
  const foot = [
    ...(words.finding === '' ? [] : wrap(words.finding, inner, 4)),
    ...wrap(words.source, inner, 2),
  ];
  const metaTop = PADDING + title.length * TITLE_LINE;
  const plotTop = metaTop + meta.length * LINE_PX + 18;
  const ruleTop = plotTop + drawing.height.baseVal.value + 14;
  const height = ruleTop + 14 + foot.length * LINE_PX + PADDING - 6;
  const lines = (texts: readonly string[], top: number, step: number, rest: string) =>
    texts
      .map(
        (text, index) =>
          `<text x="${PADDING}" y="${top + (index + 0.5) * step}" dominant-baseline="central" ${rest}>${escaped(text)}</text>`,
      )
      .join('');
  const plot = new XMLSerializer().serializeToString(drawing).replace(/^<svg[^>]*>|<\/svg>$/g, '');
  const whole =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="${FAMILY}" font-size="${TEXT_PX}" fill="var(--ink)">${style}` +
    `<rect width="100%" height="100%" fill="var(--surface)"/>` +
    lines(title, PADDING, TITLE_LINE, `font-size="${TITLE_PX}" font-weight="600"`) +
    lines(meta, metaTop, LINE_PX, 'fill="var(--ink-soft)"') +
    `<g transform="translate(${PADDING} ${plotTop})">${plot}</g>` +
    `<path d="M${PADDING} ${ruleTop}h${inner}" stroke="var(--line)"/>` +
    lines(foot, ruleTop + 12, LINE_PX, 'fill="var(--ink-soft)"') +
    '</svg>';
  const css = getComputedStyle(document.documentElement);
  return whole
    .replace(/var\((--[\w-]+)\)/g, (_, name: string) => css.getPropertyValue(name).trim())
    .replace(
      /color-mix\(in srgb, (#\w{6}) (\d+)%, (#\w{6})\)/g,
      (_, one: string, part: string, other: string) => mixed(one, other, Number(part) / 100),
    );
}

/** Draws a picture as a PNG, two pixels for one. Throws where the browser cannot draw it. */
export async function pngOf(drawing: SVGSVGElement, words: Words): Promise<Blob> {
  const svg = svgOf(
    drawing,
    words,
    `<style>@font-face{font-family:'Public Sans Variable';font-weight:100 900;src:url(${await fontData()})}</style>`,
  );
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width * DENSITY;
  canvas.height = image.height * DENSITY;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob === null ? reject(new Error('The picture is too large')) : resolve(blob)),
      'image/png',
    );
  });
}

/** The page's font, which pictures cannot ask for. */
async function fontData(): Promise<string> {
  const file = await (await fetch(font)).blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error('The font cannot be read'));
    reader.readAsDataURL(file);
  });
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A part of one colour and the rest of another: drawing programs do not mix colours. */
export function mixed(color: string, other: string, part: number): string {
  const channel = (from: string, index: number) =>
    Number.parseInt(from.slice(1 + 2 * index, 3 + 2 * index), 16);
  const channels = [0, 1, 2].map((index) =>
    Math.round(channel(color, index) * part + channel(other, index) * (1 - part)),
  );
  return `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

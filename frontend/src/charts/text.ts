import { plainText } from '@/ui/piped';

/** Size of the text in charts, in pixels, and how far its lines are apart. */
export const TEXT_PX = 13;
export const LINE_PX = 17;
export const FAMILY = "'Public Sans Variable', system-ui, sans-serif";

/** A letter's width without a canvas, as a part of the font size. */
const LETTER = 0.56;

const pen = typeof OffscreenCanvas === 'undefined' ? null : new OffscreenCanvas(1, 1).getContext('2d');

/** How wide a text is drawn, in pixels; {@link wrap} and the words of a drawing write what is inserted by its name. */
export function widthOf(text: string, weight = 400, size = TEXT_PX): number {
  const drawn = plainText(text);
  if (pen === null) return drawn.length * size * LETTER;
  pen.font = `${weight} ${size}px ${FAMILY}`;
  return pen.measureText(drawn).width;
}

/** A text in at most so many lines of a width in pixels: too long words are broken, and what is left out ends in `…`. */
export function wrap(text: string, room: number, most: number, weight = 400): string[] {
  const lines: string[] = [];
  const words = plainText(text).trim().split(/\s+/);
  let line = '';
  const fits = (candidate: string) => widthOf(candidate, weight) <= room;
  while (words.length > 0) {
    const word = words.shift() ?? '';
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
    } else if (lines.length === most - 1) {
      return [...lines, cut(longer, (part) => fits(`${part}…`)) + '…'];
    } else if (line === '') {
      const part = cut(word, fits);
      lines.push(part);
      words.unshift(word.slice(part.length));
    } else {
      lines.push(line);
      line = '';
      words.unshift(word);
    }
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** The longest beginning of a text that fits, of one letter at least. */
function cut(text: string, fits: (part: string) => boolean): string {
  const letters = [...text];
  let [low, high] = [1, letters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(letters.slice(0, middle).join(''))) low = middle;
    else high = middle - 1;
  }
  return letters.slice(0, low).join('').trimEnd();
}

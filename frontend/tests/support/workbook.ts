import { readFile } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';

const END = 0x06054b50;
const ENTRY = 0x02014b50;

/** The sheets of a workbook, with how many rows each has. */
export async function sheetsOf(path: string): Promise<Map<string, number>> {
  const parts = unzip(await readFile(path));
  const names = matches(parts.get('xl/workbook.xml'), /<sheet name="([^"]+)"/g);
  const rows = (index: number) =>
    matches(parts.get(`xl/worksheets/sheet${index + 1}.xml`), /<row r="(\d+)"/g).length;
  return new Map(names.map((name, index) => [name, rows(index)]));
}

function matches(text: string | undefined, pattern: RegExp): string[] {
  return [...(text ?? '').matchAll(pattern)].map((found) => found[1] ?? '');
}

/** A ZIP file's parts as text, found through its directory at the end. */
function unzip(file: Buffer): Map<string, string> {
  let end = file.length - 22;
  while (file.readUInt32LE(end) !== END) end -= 1;
  const parts = new Map<string, string>();
  let entry = file.readUInt32LE(end + 16);
  while (file.readUInt32LE(entry) === ENTRY) {
    const [nameLength, extraLength, noteLength] = [28, 30, 32].map((at) => file.readUInt16LE(entry + at)) as [
      number,
      number,
      number,
    ];
    const name = file.toString('utf8', entry + 46, entry + 46 + nameLength);
    const head = file.readUInt32LE(entry + 42);
    const start = head + 30 + file.readUInt16LE(head + 26) + file.readUInt16LE(head + 28);
    const packed = file.subarray(start, start + file.readUInt32LE(entry + 20));
    const stored = file.readUInt16LE(entry + 10) === 0;
    parts.set(name, (stored ? packed : inflateRawSync(packed)).toString('utf8'));
    entry += 46 + nameLength + extraLength + noteLength;
  }
  return parts;
}

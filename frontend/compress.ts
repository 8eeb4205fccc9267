import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const texts = /\.(js|css|svg|txt)$/;
/** Smaller files do not gain from it. */
const LEAST_BYTES = 1024;

/** Writes a `.gz` and a `.br` beside every text file of the build: the server compresses nothing while it serves. */
export function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    closeBundle() {
      for (const file of files('dist').filter((name) => texts.test(name))) {
        const content = readFileSync(file);
        if (content.length < LEAST_BYTES) continue;
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
        writeFileSync(`${file}.br`, brotliCompressSync(content));
      }
    },
  };
}

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
}

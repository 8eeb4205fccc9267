import { availableParallelism } from 'node:os';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { compress } from './compress.ts';
import { markdown } from './markdown.ts';

const server = process.env.TWINLAB_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react(), markdown(), compress()],
  resolve: { alias: { '@': new URL('./src', import.meta.url).pathname } },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': server } },
  test: {
    // Vitest would leave one of two cores idle; and a third of what a worker does is waiting.
    maxWorkers: availableParallelism() + 1,
    // The files of a worker share what they import: most of the time went to loading antd for each of them. What a module
    // keeps between tests is cleared in setup.ts.
    isolate: false,
    environment: 'jsdom',
    // Pages leave much behind at once: in Node's usual space for what is young, collecting it takes a tenth of the time.
    execArgv: ['--max-semi-space-size=64'],
    setupFiles: ['src/testing/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    css: false,
    // Bounds for what hangs, long enough for a machine that compiles meanwhile. No test is about how long something takes.
    testTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // A test that fails once has failed.
    retry: 0,
    passWithNoTests: false,
    // A forgotten `.only` would leave the rest untested.
    allowOnly: process.env.CI === undefined,
  },
});

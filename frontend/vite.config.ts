import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { compress } from './compress.ts';

const server = process.env.TWINLAB_URL ?? 'http://127.0.0.1:8080';

/**
 * On a slow line a request costs more than some kilobytes: what pages start with and share is one chunk, what public
 * pages share besides is another, and of antd's parts, which bring much along, those that the same pages need. Babel's
 * helpers, which antd shares with other libraries, would bring antd to their pages.
 */
const groups = [
  { name: 'start', test: /src\/(main\.tsx|(api|ui)\/[^/]+)$|\/@babel\/runtime\// },
  { name: 'public', test: /src\/features\/pages\//, minShareCount: 2 },
  {
    name: 'antd',
    test: /node_modules\/(antd|@ant-design|@rc-component)\//,
    minShareCount: 2,
    entriesAware: true,
    entriesAwareMergeThreshold: 48 * 1024,
  },
];

export default defineConfig({
  plugins: [react(), compress()],
  resolve: { alias: { '@': new URL('./src', import.meta.url).pathname } },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: { proxy: { '/api': server } },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/testing/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    css: false,
    testTimeout: 120_000,
  },
});

import { ESLint } from 'eslint';
import { expect, it } from 'vitest';

const lint = new ESLint();

async function complaintsOf(filePath: string, code: string): Promise<string[]> {
  const [result] = await lint.lintText(code, { filePath });
  return (result?.messages ?? [])
    .filter(({ ruleId }) => ruleId === 'floors/imports-go-down')
    .map(({ message }) => message);
}

it.each([
  ['by alias', 'src/features/results/example.ts', "import '@/features/studies/RunChoice';"],
  ['by dots', 'src/features/results/example.ts', "import '../studies/RunChoice';"],
  ['by more dots', 'src/features/results/run/example.ts', "import '../../studies/RunChoice';"],
  ['for its types', 'src/features/results/example.ts', "import type { A } from '../studies/RunChoice';"],
  ['when it is needed', 'src/features/results/example.ts', "void import('../studies/RunChoice');"],
  ['to hand it on', 'src/features/results/example.ts', "export { A } from '../studies/RunChoice';"],
  [
    'to hand on all of it',
    'src/features/results/example.ts',
    "export * from '@/features/studies/RunChoice';",
  ],
])('no feature imports another %s', async (_, file, code) => {
  expect(await complaintsOf(file, code)).toEqual([
    'Imports go down the floors: features/results does not import features/studies.',
  ]);
});

it.each([
  ['src/ui/example.ts', '@/runs/display', 'ui', 'runs'],
  ['src/charts/example.ts', '../features/results/Charts', 'charts', 'features/results'],
  ['src/charts/example.ts', '../editing/history', 'charts', 'editing'],
  ['src/features/results/example.ts', '@/pages/run/Responses', 'features/results', 'pages/run'],
  ['src/pages/run/example.ts', '../study/StudyPage', 'pages/run', 'pages/study'],
  ['src/shell/example.ts', '../routes', 'shell', 'routes'],
  ['src/paths.ts', './ui/format', 'paths.ts', 'ui'],
])('%s does not import %s', async (file, specifier, from, to) => {
  expect(await complaintsOf(file, `import '${specifier}';`)).toEqual([
    `Imports go down the floors: ${from} does not import ${to}.`,
  ]);
});

it.each([
  ['src/pages/run/example.ts', '@/features/results/Charts'],
  ['src/features/results/run/example.ts', '../Charts'],
  ['src/features/results/example.ts', './run/Overview'],
  ['src/features/results/example.ts', '@/charts/ChartCard'],
  ['src/routes.tsx', './pages/run/Responses'],
  ['src/ui/example.ts', '@/paths'],
  ['src/ui/example.ts', 'react'],
])('%s imports %s', async (file, specifier) => {
  expect(await complaintsOf(file, `import '${specifier}';`)).toEqual([]);
});

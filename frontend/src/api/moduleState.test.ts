import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';
import { moduleState, resetModuleState } from './moduleState';

describe('the state of a module', () => {
  it('is set back to what it was when the module was loaded', () => {
    const state = moduleState<{ words: string | null; count: number }>({ words: null, count: 1 });
    state.words = 'away';
    state.count += 1;
    resetModuleState();
    expect(state).toEqual({ words: null, count: 1 });
  });

  it.each([
    ['variable', 'let ended = false;\nexport const end = () => (ended = true);'],
    ['exported variable', 'export let ended = false;'],
    ['collection', 'const known = new Map<string, number>();\nexport const size = () => known.size;'],
  ])('is no %s, says the lint', async (_, code) => {
    const lint = new ESLint();
    const [result] = await lint.lintText(code, { filePath: 'src/api/example.ts' });
    expect(result?.messages.map(({ message }) => message)).toContain(
      'Variables of a module are kept in a moduleState().',
    );
  });
});

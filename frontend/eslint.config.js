import js from '@eslint/js';
import globals from 'globals';
import hooks from 'eslint-plugin-react-hooks';
import ts from 'typescript-eslint';
import { importsGoDown } from './floors.js';

/** State at the top of a module survives the test that changed it, unless `resetModuleState` resets it. */
const moduleVariables = [
  ':matches(Program, Program > ExportNamedDeclaration) > VariableDeclaration[kind!="const"]',
  // Listeners are gone with the components that listen.
  ':matches(Program, Program > ExportNamedDeclaration) > VariableDeclaration > ' +
    'VariableDeclarator[id.name!="listeners"] > NewExpression[callee.name=/^(Map|Set|WeakMap|WeakSet)$/][arguments.length=0]',
].map((selector) => ({ selector, message: 'Variables of a module are kept in a moduleState().' }));

export default ts.config(
  { ignores: ['dist', 'src/api/schema.ts', 'test-results', 'playwright-report'] },
  js.configs.recommended,
  ts.configs.strict,
  {
    languageOptions: { globals: globals.browser },
    plugins: { 'react-hooks': hooks },
    rules: {
      ...hooks.configs.recommended.rules,
      'no-console': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
    },
  },
  // The product's words send its users to the console here.
  {
    files: ['src/features/simulations/download.ts'],
    rules: { 'no-console': ['error', { allow: ['error'] }] },
  },
  {
    files: ['src/**'],
    ignores: ['src/testing/**', 'src/**/*.test.*'],
    rules: { 'no-restricted-syntax': ['error', ...moduleVariables] },
  },
  { files: ['src/testing/**', 'src/**/*.test.*'], rules: { 'no-console': 'off' } },
  {
    files: ['tests/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: '@playwright/test',
          importNames: ['test', 'expect'],
          message: 'The ones of support/test fail a test whose pages complain.',
        },
      ],
    },
  },
  {
    files: ['src/**'],
    ignores: ['src/testing/**'],
    plugins: { floors: { rules: { 'imports-go-down': importsGoDown } } },
    rules: { 'floors/imports-go-down': 'error' },
  },
);

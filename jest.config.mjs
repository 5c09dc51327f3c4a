import { availableParallelism } from 'node:os';
import { jsx } from './jsx.mjs';

const shared = {
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '^.+\\.ts$': '@swc/jest',
    '^.+\\.tsx$': ['@swc/jest', { ...jsx, module: { type: 'es6' }, sourceMaps: 'inline' }],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist/(src|packages|migrations|bench)'],
  resolver: '<rootDir>/test/support/resolver.cjs',
};

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/packages/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
    },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
      globalSetup: '<rootDir>/test/support/global-setup.mjs',
      globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
    },
  ],
  testSequencer: '<rootDir>/test/support/longest-first.cjs',
  testTimeout: 120_000,
  // Tests wait for processes, leases and PostgreSQL as much as they work: fewer would leave much of a small machine idle.
  maxWorkers: Math.max(4, availableParallelism() - 1),
};

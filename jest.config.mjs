import { availableParallelism } from 'node:os';

/** What `npm test` and `npm run test:soak` share. */
export const shared = {
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/test/support/jest-environment.mjs',
  runtime: '<rootDir>/test/support/jest-runtime.cjs',
  // The runtime compiles tests.
  transform: {},
  // What Node.js itself does is done in the same realm.
  fakeTimers: { doNotFake: ['nextTick'] },
};

export const endToEnd = {
  ...shared,
  displayName: 'e2e',
  testMatch: ['**/*.e2e-spec.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};

export const run = {
  rootDir: import.meta.dirname,
  testSequencer: '<rootDir>/test/support/longest-first.cjs',
  // Tests wait for PostgreSQL as much as they work: fewer would leave much of a small machine idle.
  maxWorkers: availableParallelism() + 1,
};

const roots = ['<rootDir>/test', '<rootDir>/packages'];
const testPathIgnorePatterns = ['/node_modules/', '<rootDir>/test/soak/'];

export default {
  ...run,
  projects: [
    {
      ...shared,
      ...{ roots, testPathIgnorePatterns },
      displayName: 'unit',
      testMatch: ['**/*.spec.ts'],
      globalSetup: '<rootDir>/test/support/build.mjs',
    },
    { ...endToEnd, roots, testPathIgnorePatterns },
  ],
  reporters: ['default', '<rootDir>/test/support/seconds-reporter.mjs'],
  testTimeout: 60_000,
};

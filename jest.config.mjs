import { availableParallelism } from 'node:os';

const shared = {
  roots: ['<rootDir>/test', '<rootDir>/packages'],
  testEnvironment: '<rootDir>/test/support/jest-environment.mjs',
  runtime: '<rootDir>/test/support/jest-runtime.cjs',
  // The runtime compiles tests.
  transform: {},
  // What Node.js itself does is done in the same realm.
  fakeTimers: { doNotFake: ['nextTick'] },
};

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['**/*.spec.ts'],
      globalSetup: '<rootDir>/test/support/build.mjs',
    },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['**/*.e2e-spec.ts'],
      globalSetup: '<rootDir>/test/support/global-setup.mjs',
      globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
    },
  ],
  testSequencer: '<rootDir>/test/support/longest-first.cjs',
  // Only what hangs takes this long, on the slowest machine.
  testTimeout: 900_000,
  // Tests wait for processes, leases and PostgreSQL as much as they work: fewer would leave much of a small machine idle.
  maxWorkers: availableParallelism() + 1,
};

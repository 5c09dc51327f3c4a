import contract, { endToEnd, run } from '../../jest.config.mjs';

process.env.WTS_TEST_SOAK = '1';

const [unit] = contract.projects;

/** Tests that kill, flood and wait; and the tests of units, with other random cases in each run. */
export default {
  ...run,
  projects: [{ ...endToEnd, displayName: 'soak', roots: ['<rootDir>/test/soak'] }, unit],
  // Only what hangs takes this long, on the slowest machine.
  testTimeout: 900_000,
};

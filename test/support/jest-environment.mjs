import fc from 'fast-check';
// Both come with Jest.
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Jest's symbols for one test file in the realm. */
const symbols = new Set(['JEST_STATE_SYMBOL', 'EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL']);

/** Runs tests in the realm of their worker, and restores what they may have changed there. */
export default class WorkerEnvironment {
  global = globalThis;
  fakeTimers = null;
  #console = console;
  #exit = process.exit;
  #variables = { ...process.env };

  constructor({ projectConfig }) {
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    // The same cases in each run; more and others only where tests may take long.
    fc.configureGlobal(process.env.WTS_TEST_SOAK === '1' ? { numRuns: 1000 } : { seed: 1 });
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    globalThis.console = this.#console;
    process.exit = this.#exit;
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (symbols.has(symbol.description)) delete globalThis[symbol];
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}

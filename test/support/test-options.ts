import { type Environment, type TestOptions } from '../../src/config.js';

/** The settings of a service with other constants: shorter times, or background work that waits to be asked. */
export function testOptions(options: Partial<TestOptions>): {
  readonly WTS_TEST_MODE: '1';
  readonly WTS_TEST_OPTIONS: string;
} {
  return { WTS_TEST_MODE: '1', WTS_TEST_OPTIONS: JSON.stringify(options) };
}

/** The constants that settings change. */
export function optionsIn({ WTS_TEST_OPTIONS: options = '{}' }: Environment): Partial<TestOptions> {
  return JSON.parse(options) as Partial<TestOptions>;
}

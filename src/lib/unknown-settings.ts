import { didYouMean } from './did-you-mean.js';

/** A sentence for each variable that looks like a setting of the service but is unknown. */
export function unknownSettings(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): readonly string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('WTS_') && !known.includes(name) && !others.test(name))
    .sort()
    .map((name) => `${name} is not a setting of this service${didYouMean(name, known, 'WTS_')}`);
}

/** Secrets, and the variables of docs/guide/testing-against.md and of the service's tests. */
const others = /^WTS_(SECRET_.*|EMBEDDED_URL|HOME|URL|KEY|TEST_.*|FAULTS|SABOTAGE|PATCHES)$/;

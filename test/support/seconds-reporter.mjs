import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Writes the files that took long to test/seconds.json, so that the next run begins with them: in CI, after a whole run. */
export default class SecondsReporter {
  onRunComplete(_, { testResults, numFailedTests }) {
    if (!process.env.CI || numFailedTests > 0 || testResults.length < 100) return;
    const seconds = testResults
      .map(({ testFilePath, perfStats }) => [
        relative(root, testFilePath),
        Math.round(perfStats.runtime / 100) / 10,
      ])
      .filter(([, time]) => time >= 10)
      .sort(([, one], [, other]) => other - one);
    writeFileSync(
      join(root, 'test/seconds.json'),
      `${JSON.stringify(Object.fromEntries(seconds), null, 2)}\n`,
    );
  }
}

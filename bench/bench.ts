import { withLifetime } from './lifetime.js';
import { readOptions } from './options.js';
import { writeReport } from './report.js';
import { prepare } from './prepare.js';
import { measureCases } from './measure.js';

// npm run bench: the service and the floor take turns; the report compares them.
await withLifetime(async (atEnd) => {
  const options = readOptions(100_000);
  const ground = await prepare(options, atEnd);
  await writeReport(ground, await measureCases(ground, options), options);
});

import { withLifetime } from './lifetime.js';
import { readOptions } from './options.js';
import { writeReport } from './report.js';
import { prepare } from './prepare.js';
import { measureCrowds } from './connections.js';
import { measureExecutions } from './executions.js';
import { measureCases, measureLog } from './measure.js';
import { measurePairs } from './pairs.js';

// npm run bench: the service, bare NestJS and the floor take turns; the report compares them.
await withLifetime(async (atEnd) => {
  const options = readOptions(100_000);
  const ground = await prepare(options, atEnd);
  const measured = await measureCases(ground, options);
  const crowds = await measureCrowds(ground, options);
  const pairs = await measurePairs(ground, options);
  const logShare = await measureLog(ground, options);
  const executions = await measureExecutions(ground, options, atEnd);
  await writeReport(ground, { measured, crowds, pairs, logShare, executions }, options);
});

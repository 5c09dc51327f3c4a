import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { definition } from '../definition.js';
import { withLifetime } from '../lifetime.js';
import { openBench } from '../open-bench.js';
import { say } from '../say.js';
import { fillEvents } from './fill.js';
import { measureEvents } from './measure.js';
import { type Row, writeEventsReport } from './report.js';

/** Results of fewer events are not worth a report. */
const LEAST_REPORTED = 1_000_000;

// npm run bench:events: measures the feed, histories and deliveries with ten million events, or `--events` of them,
// and the followers of the feed.
await withLifetime(async (atEnd) => {
  const { values } = parseArgs({
    options: { events: { type: 'string', default: '10000000' }, deliveries: { type: 'string' } },
  });
  const wanted = { events: Number(values.events), deliveries: Number(values.deliveries ?? values.events) };
  const bench = await openBench(definition, atEnd);
  const [load = NaN] = loadavg();
  await fillEvents(bench.db, wanted);
  const rows: Row[] = [];
  for await (const row of measureEvents(bench, atEnd)) {
    say(`${row.what}: ${row.measured} (${row.wanted})`);
    rows.push(row);
  }
  await writeEventsReport(bench, rows, { ...wanted, load, isStandard: wanted.events >= LEAST_REPORTED });
});

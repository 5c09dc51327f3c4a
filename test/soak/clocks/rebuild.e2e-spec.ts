import { followCommand } from '../../../src/cli/follow.command.js';
import {
  clocksIn,
  close,
  definition,
  makeInstantsSame,
  recordsIn,
  review,
  tickets,
  work,
} from '../../clocks/rebuilt.js';
import { wts } from '../../support/command-line.js';
import { startService, type TestService } from '../../support/service.js';
import { testOptions } from '../../support/test-options.js';

// time.md, 1: projections can be rebuilt from the record. A rebuild starts and sends nothing.
const HOUR = 3_600_000;
const stages = ['New', 'Review', 'Waiting', 'Done'];

let service: TestService;
beforeAll(async () => {
  service = await startService(testOptions({ background: 'asked' }));
  await service.settle({ at: '2026-12-01T08:00:00Z' });
});
afterAll(() => service.stop());

// Rule: the test oracle is that equality.
it('a rebuild is what the table is after any changes of tasks and definitions', async () => {
  const seed = Math.floor(Math.random() * 2_147_483_646) + 1;
  console.log(`seed ${seed}`);
  let state = seed;
  const next = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  const apply = (clocks: readonly string[], hours?: string): Promise<void> =>
    service.apply(definition('acme', clocks, hours));
  const rebuild = () => wts(followCommand(), ['rebuild', 'clocks'], service.config.databaseUrl ?? '');
  await apply([review('10 hours'), close]);
  const api = service.client(await service.key('acme'));
  for (let round = 0; round < 12; round += 1) {
    for (let edit = 0; edit < 8; edit += 1) {
      const changes = [
        { Stage: stages[next(4)] },
        { Risk: ['Low', 'High', null][next(3)] },
        { 'Close By': [new Date(Date.now() + (next(8) - 2) * HOUR).toISOString(), null][next(2)] },
        { Stage: stages[next(3)], Risk: 'High' },
      ];
      await api.post(tickets, { ID: `${next(6)}`, ...changes[next(4)] });
    }
    // By whole hours, so that nothing is due in the moments behind a move.
    await service.settle();
    await service.settle({ after: (1 + next(5)) * HOUR });
    if (round === 3) await makeInstantsSame(service);
    if (round === 3) await apply([review('4 hours'), close, work]);
    if (round === 6) await apply([review('8 hours'), close, work], '"10:00-15:00"');
    await service.settle();
  }
  const [before, recorded] = [await clocksIn(service, 'acme'), await recordsIn(service, 'acme')];
  expect(before.length).toBeGreaterThan(12);
  expect(await rebuild()).toMatchObject({ code: 0 });
  expect(await clocksIn(service, 'acme')).toEqual(before);
  await service.dataSource.query('DELETE FROM clocks');
  await rebuild();
  expect(await clocksIn(service, 'acme')).toEqual(before);
  await service.settle();
  expect(await recordsIn(service, 'acme')).toEqual(recorded);
});

import { Workspaces } from '../../../src/workflows/model/workspaces.js';
import { type Loss } from '../../support/proxy.js';
import { type RawAnswer, sendRaw } from '../../support/raw-request.js';
import { startService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { fillWorkspace, requestOf } from '../../http/requests.js';
import { routesOf } from '../../support/routes.js';

const losses = ['break', 'kill', 'restart'] as const;
/** Chunks of answers of PostgreSQL: while the key is looked up, the definition is read, or the work is done. */
const moments = [1, 2, 3, 4, 6, 8];

const service = await startService({ WTS_ROLE: 'api' }, undefined, { isProxied: true });
afterAll(() => service.stop());
const ids = await fillWorkspace(service, 'own');
const key = await service.key('own', 'admin');

describe('a request during which PostgreSQL is lost', () => {
  let lost = 0;
  afterAll(() => {
    expect(lost).toBeGreaterThan(100);
  });

  /** The answer to a request of this route during which PostgreSQL is lost. */
  async function during(route: string, chunks: number, how: Loss): Promise<RawAnswer | undefined> {
    const own = { ...ids, unique_id: `${how}-${chunks}` };
    const headers: [string, string][] = [['Authorization', `Bearer ${key}`]];
    if (route.startsWith('POST') && how === 'kill') headers.push(['Idempotency-Key', `${route} ${chunks}`]);
    await until(() => service.dataSource.query('SELECT 1').then(() => true, () => false)); // prettier-ignore
    service.app.get(Workspaces).forgetAll();
    service.proxy?.loseAt(chunks, how);
    try {
      return await sendRaw(service.url, requestOf(route, headers, ids, own));
    } finally {
      await service.proxy?.mend();
    }
  }

  // Rule: 503 with Retry-After, or the answer as ever; nothing else is an answer. All moments of all routes were tried so once.
  it.each(routesOf(service.app).filter((route) => !/health|\/events$/.test(route)))('%s', async (route) => {
    for (const [at, chunks] of moments.entries()) {
      const answer = await during(route, chunks, losses[at % 3] ?? 'break');
      if (answer?.status === 503) lost += 1;
      // A loss is no wrong key and no missing right.
      expect([401, 403]).not.toContain(answer?.status);
      if (answer?.status === 503) expect(answer.headers['retry-after']).toBeDefined();
      else expect(answer?.status).toBeLessThan(500);
    }
  });
});

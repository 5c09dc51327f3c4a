import { jest } from '@jest/globals';
import { generateApiKey, listApiKeys, revokeApiKey } from '../../src/access/api-keys.js';
import pg from 'pg';
import { everyType } from '../support/definitions.js';
import { type RawAnswer, sendRaw } from '../support/raw-request.js';
import { startServiceWith } from '../support/service.js';
import { afterRemembering, whileRemembered } from '../support/stopped-time.js';
import { told } from '../support/told.js';

const tasks = '/api/v1/workflows/things/tasks';

const { service, key } = await startServiceWith(everyType);

describe('5 authentication', () => {
  it("a key is read whatever the case of the header's name", async () => {
    for (const [name, scheme] of Object.entries({ Authorization: 'Bearer', authorization: 'bearer' }))
      expect(await statusOf('GET', tasks, [[name, `${scheme} ${key}`]])).toBe(200);
  });

  // Revoked and expired ones: test/http/every-route.e2e-spec.ts.
  it('the answer for a missing, malformed or unknown key is one and the same', async () => {
    const forms: [string, string][][] = [
      [],
      [['Authorization', '']],
      [['Authorization', key]],
      [['Authorization', `Basic ${Buffer.from(`x:${key}`).toString('base64')}`]],
      [['Authorization', `Bearer ${key}x`]],
      [['Authorization', `Bearer ${key.slice(0, -1)}!`]],
      [['Authorization', `Bearer ${key} ${key}`]],
      [['Authorization', `Bearer wts_${'A'.repeat(40)}`]],
      [['X-Api-Key', key]],
      [['Authorization', `Bearer ${key}`], ['Authorization', `Bearer ${key}`]], // prettier-ignore
    ];
    const bodies = new Set<string>();
    for (const headers of forms) {
      const answer = await send('GET', tasks, headers);
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
      bodies.add(answer.body.replace(/"request_id":"[^"]*"/, ''));
    }
    expect(bodies.size).toBe(1);
  });

  it('an unknown path outside of the API is 404 for everybody, and reveals no workspace', async () => {
    for (const key of ['', 'wts_nobody']) {
      const headers: [string, string][] = key ? [['Authorization', `Bearer ${key}`]] : [];
      for (const path of ['/docs/', '/foo', '/metrics', '/health', '/openapi.json', '/%00'])
        expect([path, (await send('GET', path, headers)).status]).toEqual([path, 404]);
      expect((await send('GET', '/%ff', headers)).status).toBe(400);
      expect((await send('POST', '/docs', headers)).status).toBe(405);
      for (const path of ['/api', '/api/', '/API/v1', '//api/v2', '/./api/x', '/api?x', '/api/v1/%ff'])
        expect([path, (await send('GET', path, headers)).status]).toEqual([path, 401]);
    }
    expect(JSON.parse((await send('GET', '/docs/', [])).body)).toMatchObject({
      detail: 'No path `/docs/`; did you mean `/docs`?',
    });
  });

  it('no spelling of a path bypasses the guard', async () => {
    const paths = [
      `${tasks}/`,
      `/${tasks}`,
      `/api/v1/workflows//things/tasks`,
      `/api/v1/./workflows/things/tasks`,
      `${tasks};x`,
      `/api/v1/workflows/%2e/tasks`,
      tasks.toUpperCase(),
      `${tasks}?/health/live`,
      `${tasks}/%00`,
      `${tasks}/%ff`,
      `${tasks}?key=${key}`,
      `${service.url}${tasks}`,
      '/api/v1',
    ];
    for (const method of ['GET', 'OPTIONS', 'PUT', 'TRACE'])
      for (const path of paths)
        expect([method, path, await statusOf(method, path, [['X-HTTP-Method-Override', 'GET']])]).toEqual([method, path, 401]); // prettier-ignore
  });

  it('a key with a bad checksum is refused without a query', async () => {
    const query = jest.spyOn(pg.Client.prototype, 'query');
    // The service looks for work meanwhile.
    const lookUps = (): number =>
      query.mock.calls.filter(([asked]) =>
        String(Reflect.get(Object(asked), 'text')).includes('FROM api_keys k WHERE hash'),
      ).length;
    const wrong = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
    expect(await statusOf('GET', tasks, [['Authorization', `Bearer ${wrong}`]])).toBe(401);
    expect(lookUps()).toBe(0);
    expect(await statusOf('GET', tasks, [['Authorization', `Bearer ${generateApiKey()}`]])).toBe(401);
    expect(lookUps()).toBe(1);
    query.mockRestore();
  });

  it('a new key works at once, and an announced revocation ends a key at once', async () => {
    const fresh = await service.key('acme');
    await whileRemembered(async () => {
      expect(await statusOf('GET', tasks, [['Authorization', `Bearer ${fresh}`]])).toBe(200);
      const keys = await listApiKeys(service.dataSource.manager);
      const last = keys.filter(({ workspace }) => workspace === 'acme').at(-1);
      expect(await revokeApiKey(service.dataSource.manager, last?.id ?? '')).toBe(true);
      await told(service);
      expect(await statusOf('GET', tasks, [['Authorization', `Bearer ${fresh}`]])).toBe(401);
    });
  });

  it('a revocation that is not announced ends a key within 5 s', async () => {
    const fresh = await service.key('acme');
    expect(await statusOf('GET', tasks, [['Authorization', `Bearer ${fresh}`]])).toBe(200);
    await service.dataSource.query(`UPDATE api_keys SET revoked_at = now() WHERE created_at = (SELECT max(created_at) FROM api_keys)`); // prettier-ignore
    await afterRemembering(5001, async () => {
      expect(await statusOf('GET', tasks, [['Authorization', `Bearer ${fresh}`]])).toBe(401);
    });
  });

  it('keys are stored as a hash, with the day of their last use', async () => {
    const rows = await service.dataSource.query<Record<string, unknown>[]>(
      `SELECT *, (now() AT TIME ZONE 'UTC')::date::text AS today, last_used_on::text AS used FROM api_keys`,
    );
    expect(JSON.stringify(rows)).not.toContain(key.slice(4, 20));
    expect(rows.some(({ used, today }) => used === today)).toBe(true);
  });

  it('a key is accepted if the day of its use cannot be written', async () => {
    const { dataSource } = service;
    await dataSource.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'a node is down'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON api_keys EXECUTE FUNCTION refuse()`);
    const fresh = await service.key('acme');
    expect(await statusOf('GET', tasks, [['Authorization', `Bearer ${fresh}`]])).toBe(200);
    await dataSource.query('DROP FUNCTION refuse CASCADE');
  });

  type Headers = readonly (readonly [string, string])[];
  const send = (method: string, path: string, headers: Headers): Promise<RawAnswer> =>
    sendRaw(service.url, { method, path, headers });
  const statusOf = async (method: string, path: string, headers: Headers): Promise<number> =>
    (await send(method, path, headers)).status;
});

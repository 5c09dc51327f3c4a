import { holdPort } from '../../../src/ops/listen.js';
import { nextOf } from '../../events/following.js';
import { everyType } from '../../support/definitions.js';
import { type HangingProxy, startHangingProxy } from '../../support/hanging-proxy.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { sendRaw, type RawAnswer } from '../../support/raw-request.js';
import { describeWithPostgres } from '../../support/recoverable-postgres.js';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../../support/replicated-postgres.js';
import { workspaceOf } from '../../support/workspace-by-hand.js';
import { until } from '../../support/until.js';

const tasks = '/api/v1/workflows/things/tasks';
const feed = '/api/v1/events';
const changedDefinition = everyType.replace(
  '      - { name: Website, type: url }\n',
  '      - { name: Website, type: url }\n      - { name: Colour, type: text }\n',
);
/** Long enough for whatever a test does meanwhile. */
const staleOk = { Prefer: 'stale-ok=3600' };

// What docs/guide/scaling.md says of WTS_READ_URL, with a standby server that streams.
describeWithPostgres('a read replica', () => {
  let postgres: ReplicatedPostgres;
  let service: OtherProcess;
  let of: Awaited<ReturnType<typeof workspaceOf>>;
  let key: string;
  let metricsPort: number;
  let proxy: HangingProxy;

  beforeAll(async () => {
    postgres = await startReplicatedPostgres();
    const held = await holdPort('127.0.0.1');
    metricsPort = held.port;
    await held.release();
    proxy = await startHangingProxy(Number(new URL(postgres.standbyUrl).port));
    const readUrl = `postgres://wts:s3cret@127.0.0.1:${proxy.port}/postgres`;
    service = await startOtherProcess(postgres.url, {
      WTS_HOST: '127.0.0.1',
      WTS_READ_URL: `${readUrl}?application_name=also-s3cret`,
      WTS_METRICS_PORT: String(metricsPort),
    });
    of = await workspaceOf(postgres.url, everyType);
    ({ key } = await of.makeKey('admin'));
    for (const ID of ['1', '2', '3']) await send('POST', tasks, { ID, Text: 'before', Parts: [] });
  });
  afterAll(async () => {
    await of.close();
    await service.stop();
    proxy.stop();
    await postgres.stop();
  });
  // Whatever a test has paused goes on before the next one, which begins with a replica that has all.
  beforeEach(() => untilCurrent());
  afterEach(() =>
    postgres.askStandby('SELECT CASE WHEN pg_is_in_recovery() THEN pg_wal_replay_resume()::text END AS said'),
  );

  const send = (
    method: string,
    path: string,
    body?: object,
    more: Readonly<Record<string, string>> = {},
    by = key,
  ): Promise<RawAnswer> =>
    sendRaw(service.url, {
      method,
      path,
      headers: Object.entries({
        Authorization: `Bearer ${by}`,
        'Content-Type': 'application/json',
        ...more,
      }),
      ...(body && { body: JSON.stringify(body) }),
    });
  const get = (path: string, more = {}): Promise<RawAnswer> => send('GET', path, undefined, more);
  const stale = (path: string): Promise<RawAnswer> => get(path, staleOk);

  /** Waits until the replica has all that was committed by now, and the service knows that. */
  async function untilCurrent(): Promise<void> {
    // Whoever reads the feed gives positions to what is new.
    await get(`${feed}?_after=now`);
    const written = await postgres.askPrimary('SELECT pg_current_wal_lsn()::text AS said');
    await until(
      async () =>
        (await postgres.askStandby(`SELECT pg_last_wal_replay_lsn() >= '${String(written)}' AS said`)) ===
        true,
    );
    await until(async () => isOfReplica(await get(tasks, { Prefer: 'stale-ok=5' })));
  }
  async function pause(): Promise<void> {
    await postgres.askStandby('SELECT pg_wal_replay_pause()::text AS said');
    await until(
      async () => (await postgres.askStandby('SELECT pg_get_wal_replay_pause_state() AS said')) === 'paused',
    );
  }
  /** An answer of the replica, which counts as away for a moment where it takes more than 2 s to say how far it is. */
  async function ofReplica(path: string): Promise<RawAnswer> {
    let answer = await stale(path);
    await until(`the replica answers ${path}`, async () => {
      if (!isOfReplica(answer)) answer = await stale(path);
      return isOfReplica(answer);
    });
    return answer;
  }
  const textOf = ({ body }: RawAnswer, id: string): unknown =>
    (JSON.parse(body) as { ID: string; Text: string }[]).find(({ ID }) => ID === id)?.Text;
  const metric = async (series: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(text.split('\n').find((line) => line.startsWith(`${series} `))?.split(' ')[1]); // prettier-ignore
  };

  it('answers lists of those who say `Prefer: stale-ok`, and nobody else; one that is behind for longer is not asked', async () => {
    await pause();
    await send('PUT', tasks, { ID: '1', Text: 'after' });
    const old = await ofReplica(tasks);
    expect(textOf(old, '1')).toBe('before');
    expect(old).toMatchObject({
      headers: { 'preference-applied': 'stale-ok=3600', vary: expect.stringContaining('Prefer') as string },
    });
    const fresh = await get(tasks);
    expect(textOf(fresh, '1')).toBe('after');
    expect(isOfReplica(fresh)).toBe(false);
    expect(fresh.headers['vary']).toContain('Prefer');
    // Within the seconds that it asks for it may be old; after them it is not.
    await until(async () => textOf(await get(tasks, { Prefer: 'stale-ok=2' }), '1') === 'after');
    expect(isOfReplica(await get(tasks, { Prefer: 'stale-ok=2' }))).toBe(false);
    expect(textOf(await ofReplica(tasks), '1')).toBe('before');
    await until(async () => (await metric('wts_replica_lag_seconds')) > 1);
    await postgres.askStandby('SELECT pg_wal_replay_resume()::text AS said');
    await untilCurrent();
    expect(textOf(await stale(tasks), '1')).toBe('after');
  });

  it('answers every list and the whole export, pages of the feed and histories, and the primary is not asked for any of it', async () => {
    await send('PUT', tasks, { ID: '2', Parts: [{ 'Part ID': 'P' }], Text: 'with a part' });
    await untilCurrent();
    /** An answer for which the primary was not asked. */
    const ofReplicaAlone = async (path: string): Promise<RawAnswer> => {
      const primary = 'wts_stale_reads_total{place="primary"}';
      const asked = await metric(primary);
      const answer = await ofReplica(path);
      return (await metric(primary)) === asked ? answer : ofReplicaAlone(path);
    };
    for (const path of [
      tasks,
      `${tasks}/active`,
      `${tasks}?_limit=2&_count=true`,
      `${tasks}?_sort=-Text`,
      `${tasks}?_sort=Text&_limit=1`,
      `${tasks}?Text=before&Stage=New`,
      `${tasks}?ID=1&ID=2&_sort=ID`,
      `${tasks}?Text%5Bcontains%5D=EFO&_sort=-_created`,
      `${tasks}?Text%5Bgte%5D=a&_sort=-Number&_count=true`,
      `${tasks}?_any=ID%3D1%26Stage%3DDone`,
      `${tasks}?_fields=ID,Parts,_version`,
      `${tasks}?Parts.Part%20ID=P`,
      `${tasks}/2/history`,
      feed,
      `${feed}?_limit=1`,
      `${feed}?type=task.updated&workflow=things`,
    ]) {
      const [old, now] = [await ofReplicaAlone(path), await get(path)];
      expect([path, old.status]).toEqual([path, 200]);
      expect(old.body).toBe(now.body);
      expect(old.headers['x-total-count']).toBe(now.headers['x-total-count']);
    }
    expect(await metric('wts_stale_reads_total{place="replica"}')).toBeGreaterThan(10);
    expect(await metric('wts_replica_lag_seconds')).toBeGreaterThanOrEqual(0);
    // What followers write is told of with how far they have come, which is so on the primary alone.
    const due = await stale(`${tasks}?_overdue=true`);
    expect([due.status, isOfReplica(due)]).toEqual([200, false]);
    expect(due.headers['as-of']).toBeDefined();
  });

  it('has the entity tags of the primary, which take writes', async () => {
    const tags = await ofReplica(`${tasks}?_fields=ID,_version`);
    const [{ ID, _version: tag }] = JSON.parse(tags.body) as [{ ID: string; _version: string }];
    expect((await get(`${tasks}/${ID}`)).headers['etag']).toBe(tag);
    const change = { ID, Text: 'by its tag' };
    expect(await send('PUT', tasks, change, { 'If-Match': tag })).toMatchObject({ status: 200 });
  });

  it('answers nothing that a write reads, nor single tasks', async () => {
    await pause();
    const prefer = { ...staleOk };
    const { headers } = await send('PUT', tasks, { ID: '3', Text: 'new' }, prefer);
    const again = { ...prefer, 'If-Match': String(headers['etag']) };
    const written = await send('PUT', tasks, { ID: '3', Number: '7' }, again);
    expect(written).toMatchObject({ status: 200 });
    expect(JSON.parse(written.body)).toMatchObject({ Text: 'new' });
    expect(JSON.parse((await stale(`${tasks}/3`)).body)).toMatchObject({ Text: 'new' });
    const { keyOf, id } = await newKey();
    expect((await send('GET', tasks, undefined, staleOk, keyOf)).status).toBe(200);
    await of.revoke(id);
    // Heard of by a notification; the replica hears of nothing.
    await until(async () => (await send('GET', tasks, undefined, staleOk, keyOf)).status === 401);
  });

  it('gives cursors that are those of the primary, and takes later ones than it has', async () => {
    const page = await stale(`${tasks}?_limit=1`);
    const [first] = JSON.parse(page.body) as [{ ID: string }];
    const second = await get(nextOf(page));
    expect(second.body).toBe((await stale(nextOf(page))).body);
    expect(second.body).not.toContain(`"ID":"${first.ID}"`);

    const end = nextOf(await stale(feed));
    await pause();
    await send('PUT', tasks, { ID: '1', Text: 'while it is paused' });
    const [old, fresh] = [await ofReplica(end), await get(end)];
    expect([old.body, nextOf(old)]).toEqual(['[]', end]);
    expect(fresh.body).toContain('while it is paused');
    // What the replica has is over before this cursor begins.
    expect(await stale(nextOf(fresh))).toMatchObject({ status: 200, body: '[]' });
    // Whoever waits for events waits for those of now.
    const awaited = await get(end, { Prefer: 'wait=20, stale-ok=3600' });
    expect(awaited.body).toContain('while it is paused');
  });

  it('shows every event in time, also where nobody else gives it its position', async () => {
    let next = nextOf(await stale(feed));
    await send('PUT', tasks, { ID: '2', Text: 'for one reader alone' });
    await until(async () => {
      const page = await get(next, { Prefer: 'stale-ok=3' });
      next = nextOf(page);
      return page.body.includes('for one reader alone');
    });
  });

  it('is not asked by a newer definition than it has', async () => {
    await pause();
    await of.apply(changedDefinition);
    for (const path of [tasks, `${tasks}?_count=true&_limit=1`, `${tasks}?_sort=-Text`])
      await until(async () => {
        const { status, body } = await stale(path);
        expect(status).toBe(200);
        return body.includes('"Colour"');
      });
  });

  it('fails for nobody while statements of it are ended, by conflicts with what is replayed or with their connections', async () => {
    const many = Array.from({ length: 2000 }, (_, n) => ({ ID: `many-${n}`, Text: `${n}`.repeat(20) }));
    await send('POST', `${tasks}/batch`, many);
    await untilCurrent();
    const conflicts = async (): Promise<number> =>
      Number(await postgres.askStandby('SELECT sum(confl_lock)::integer AS said FROM pg_stat_database_conflicts')); // prettier-ignore
    const before = await conflicts();
    const answers: RawAnswer[] = [];
    let isOver = false;
    const reading = Array.from({ length: 4 }, async () => {
      while (!isOver) answers.push(await stale(`${tasks}?_sort=-Text&_count=true`));
    });
    // Replay waits for no reader of the table.
    await until(async () => {
      await postgres.askPrimary('DO $$ BEGIN LOCK TABLE tasks IN ACCESS EXCLUSIVE MODE; END $$');
      return (await conflicts()) > before && answers.some(isOfReplica);
    });
    for (let round = 0; round < 10; round += 1) {
      await postgres.askStandby(
        "SELECT count(pg_terminate_backend(pid)) AS said FROM pg_stat_activity WHERE application_name = 'workflow-task-service'",
      );
      await until(async () => isOfReplica(await get(tasks, { Prefer: 'stale-ok=5' })));
    }
    isOver = true;
    await Promise.all(reading);
    expect(answers.length).toBeGreaterThan(4);
    for (const { status, body, headers } of answers)
      expect([status, headers['x-total-count'], body.match(/"ID":/g)?.length]).toEqual([200, '2003', 2003]);
  });

  it('counts as behind where it gets no WAL any more, although all that it got is replayed', async () => {
    const source = await postgres.askStandby(
      "SELECT setting AS said FROM pg_settings WHERE name = 'primary_conninfo'",
    );
    await postgres.setOfStandby('primary_conninfo', '');
    await until(
      async () =>
        (await postgres.askStandby('SELECT count(*)::integer AS said FROM pg_stat_wal_receiver')) === 0,
    );
    await send('PUT', tasks, { ID: '1', Text: 'not sent' });
    await until(
      async () =>
        (await postgres.askStandby('SELECT pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AS said')) ===
        true,
    );
    expect(textOf(await ofReplica(tasks), '1')).not.toBe('not sent');
    await until(async () => textOf(await get(tasks, { Prefer: 'stale-ok=2' }), '1') === 'not sent');
    await postgres.setOfStandby('primary_conninfo', String(source));
    await untilCurrent();
    expect(textOf(await stale(tasks), '1')).toBe('not sent');
  });

  it('gives the page of the team its figures, and the page hears of all that they lack', async () => {
    const cookie = await signIn();
    const page = (): Promise<RawAnswer> => sendRaw(service.url, { method: 'GET', path: '/team', headers: [['Accept', 'text/html'], ['Cookie', cookie]] }); // prettier-ignore
    const reads = async (): Promise<number[]> => [
      await metric('wts_stale_reads_total{place="replica"}'),
      await metric('wts_stale_reads_total{place="primary"}'),
    ];
    /** The page with figures of the replica. */
    const pageOfReplica = async (): Promise<RawAnswer> => {
      const [there = 0, here] = await reads();
      const shown = await page();
      const [nowThere = 0, nowHere] = await reads();
      return nowThere > there && nowHere === here ? shown : pageOfReplica();
    };
    expect((await pageOfReplica()).status).toBe(200);
    await pause();
    await send('PUT', tasks, { ID: '1', 'Assigned To': 'Mina@acme.test' });
    const old = await pageOfReplica();
    const live = /data-live-url-value="([^"]+)"/.exec(old.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const heard = await sendRaw(service.url, { method: 'GET', path: live, headers: [['Cookie', cookie]] });
    expect(JSON.parse(heard.body)).toEqual({ changed: true });
    await until(async () => (await page()).body !== old.body);
  });

  it('may hang: nobody who is waiting for it gets an error, and who comes later does not wait', async () => {
    proxy.hang();
    const waiting = await Promise.all(Array.from({ length: 30 }, () => stale(tasks)));
    expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set([200]));
    expect(waiting.some(isOfReplica)).toBe(false);
    await send('PUT', tasks, { ID: '1', Text: 'while it hangs' });
    expect(textOf(await stale(tasks), '1')).toBe('while it hangs');
    proxy.goOn();
    await untilCurrent();
    expect(textOf(await stale(tasks), '1')).toBe('while it hangs');
  });

  it('may go and come back, of which the log is told once, and nothing of what is secret', async () => {
    const told = service.output().length;
    await postgres.stopStandby();
    for (let asked = 0; asked < 20; asked += 1)
      expect(await stale(tasks)).toMatchObject({ status: 200, headers: expect.not.objectContaining({ 'preference-applied': expect.anything() as unknown }) as object }); // prettier-ignore
    await until(() => service.output().slice(told).includes('The read replica (WTS_READ_URL) is away'));
    expect(await get('/health/ready')).toMatchObject({ status: 200, body: expect.stringContaining('"ok"') as string }); // prettier-ignore
    await send('PUT', tasks, { ID: '1', Text: 'while it is away' });
    expect(textOf(await stale(tasks), '1')).toBe('while it is away');
    // A start waits for no replica.
    const other = await startOtherProcess(postgres.url, {
      WTS_HOST: '127.0.0.1',
      WTS_READ_URL: postgres.standbyUrl,
    });
    const ofOther = (): Promise<RawAnswer> => sendRaw(other.url, { method: 'GET', path: tasks, headers: [['Authorization', `Bearer ${key}`], ['Prefer', 'stale-ok=5']] }); // prettier-ignore
    expect(await ofOther()).toMatchObject({ status: 200 });
    await postgres.startStandby();
    await untilCurrent();
    await until(async () => isOfReplica(await ofOther()));
    await other.stop();
    expect(textOf(await stale(tasks), '1')).toBe('while it is away');
    await until(() => service.output().slice(told).includes('The read replica (WTS_READ_URL) is back'));
    // On a slow machine it may seem away once more later.
    const [untilBack = ''] = service.output().slice(told).split('(WTS_READ_URL) is back');
    expect(untilBack.match(/\(WTS_READ_URL\) is away/g)).toHaveLength(1);
    expect(service.output()).toContain('"replica":"postgres://wts@127.0.0.1');
    expect(service.output()).not.toContain('s3cret');
  });

  it('is not asked any more when it is promoted: it follows nobody then', async () => {
    await postgres.askStandby('SELECT pg_promote() AS said');
    await until(() => service.output().includes('is away: it is not a standby server'));
    await send('PUT', tasks, { ID: '1', Text: 'only there' });
    const { body, headers } = await stale(`${tasks}?ID=1`);
    expect(body).toContain('only there');
    expect(headers['preference-applied']).toBeUndefined();
  });

  async function signIn(): Promise<string> {
    const { headers } = await sendRaw(service.url, {
      method: 'POST',
      path: `/sign-in/${await of.signInLink('theo@acme.test')}`,
      headers: [
        ['Sec-Fetch-Site', 'same-origin'],
        ['Content-Type', 'application/x-www-form-urlencoded'],
      ],
      body: '',
    });
    return String(headers['set-cookie']).split(';')[0] ?? '';
  }

  async function newKey(): Promise<{ keyOf: string; id: string }> {
    const { id, key: keyOf } = await of.makeKey('write');
    return { keyOf, id };
  }
});

const isOfReplica = ({ headers }: RawAnswer): boolean =>
  String(headers['preference-applied']).includes('stale-ok=');

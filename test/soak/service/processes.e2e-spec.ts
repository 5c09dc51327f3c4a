import { Agent, get } from 'node:http';
import { holdPort } from '../../../src/ops/listen.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { until } from '../../support/until.js';

describe('`WTS_PROCESSES`: several processes behind one port', () => {
  let database: TestDatabase;
  let service: OtherProcess;
  let metricsPort: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    const held = await holdPort('127.0.0.1');
    await held.release();
    metricsPort = String(held.port);
    service = await startOtherProcess(database.url, {
      WTS_PROCESSES: '2',
      WTS_METRICS_PORT: metricsPort,
      WTS_DRAIN_MS: '500',
    });
  });
  afterAll(async () => {
    await service.kill();
    await database.drop();
  });

  it('"starts that many": both answer, one greets, and the log says which process a line is of', async () => {
    await until(() => started().length === 2);
    await until(async () => {
      await Promise.all(Array.from({ length: 4 }, () => ask('/health/live', false)));
      return new Set(lines('request').map(({ pid }) => pid)).size === 2;
    });
    expect(new Set(lines('request').map(({ pid }) => pid))).toEqual(new Set(started()));
    expect(service.output().match(/is listening on/g)).toHaveLength(1);
    expect(lines('started')).toHaveLength(1);
    expect(await ask('/health/ready', false)).toMatchObject({ status: 200 });
  });

  it('"rolling restart on SIGHUP without one failed request", and /metrics still tells the sum of all', async () => {
    const before = started();
    const failures: unknown[] = [];
    const over = new AbortController();
    let answered = 0;
    const client = async (agent: Agent | false): Promise<void> => {
      while (!over.signal.aborted)
        await ask('/health/live', agent).then(() => (answered += 1), (error: unknown) => failures.push(error)); // prettier-ignore
    };
    const kept = new Agent({ keepAlive: true });
    const clients = [client(kept), client(kept), client(false)];
    process.kill(service.pid, 'SIGHUP');
    await until(() => lines('replaced all processes').length === 1);
    over.abort();
    await Promise.all(clients);
    kept.destroy();
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(100);
    const after = started().slice(before.length);
    expect(after).toHaveLength(2);
    expect(lines('stopped').map(({ pid }) => pid)).toEqual(expect.arrayContaining(before));
    const counted = await metric(
      /duration_seconds_count\{method="GET",route="\/health\/live",status="200"\} (\d+)/,
    );
    expect(counted).toBeGreaterThanOrEqual(answered);
    expect(await metric(/wts_processes (\d+)/)).toBe(2);
  });

  it('"a worker that dies is started again"; others answer meanwhile, and nobody waits for what it was handed', async () => {
    const [victim = 0, other = 0] = started().slice(-2);
    process.kill(victim, 'SIGSTOP');
    const asked = Array.from({ length: 4 }, () => ask('/health/live', false));
    const answered = Promise.allSettled(asked);
    // The last to be handed over is answered when all others were.
    await Promise.any(asked);
    process.kill(victim, 'SIGKILL');
    const reasons = (await answered).flatMap((each) =>
      each.status === 'rejected' ? [each.reason as Error] : [],
    );
    expect(reasons).toMatchObject([{ code: 'ECONNRESET' }]);
    await until(() => lines('process ended; starting another one').some(({ pid }) => pid === victim));
    expect(await ask('/health/ready', false)).toMatchObject({ status: 200 });
    await until(() => started().length === 5);
    expect(started()).toContain(other);
    expect(await metric(/wts_processes (\d+)/)).toBe(2);
  });

  it('"SIGTERM drains all", and leaves no process behind', async () => {
    const [one = 0, other = 0] = started().slice(-2);
    expect(await service.stop()).toBe(0);
    for (const pid of [one, other]) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(service.output()).toMatch(/"ms":\d+,"msg":"stopped"\}\n$/);
  });

  /** The processes that answered, in the order in which they began to. */
  const started = (): number[] => lines('process started').map(({ pid }) => pid);

  function lines(msg: string): { readonly pid: number }[] {
    const all = service.output().match(/^\{.*\}$/gm) ?? [];
    return all
      .map((line) => JSON.parse(line) as { readonly pid: number; readonly msg: string })
      .filter((line) => line.msg === msg);
  }

  const ask = (path: string, agent: Agent | false): Promise<Answer> => answerOf(service.url + path, agent);

  async function metric(of: RegExp): Promise<number> {
    const { body } = await answerOf(`http://localhost:${metricsPort}/metrics`, false);
    return Number(of.exec(body)?.[1]);
  }
});

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

function answerOf(url: string, agent: Agent | false): Promise<Answer> {
  return new Promise((answered, fail) => {
    const request = get(url, { agent }, (response) => {
      let body = '';
      response
        .setEncoding('utf8')
        .on('data', (text: string) => (body += text))
        .once('end', () => { answered({ status: response.statusCode, body }); })
        .once('error', fail); // prettier-ignore
    });
    request.once('error', fail);
  });
}

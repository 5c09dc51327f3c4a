import request from 'supertest';
import { workflowOf } from '../../support/definitions.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { startService, type TestService } from '../../support/service.js';
import { patience } from '../../support/until.js';

const tasks = '/api/v1/workflows/things/tasks';
const rounds = 20;

/** Round by round an option is replaced, a field gets another type, and a required field is added. */
function definition(round: number): string {
  const required = Array.from({ length: round }, (_, n) => `name: Req${n + 1}, type: text, required: true`);
  return workflowOf(
    [
      'name: ID, type: uniqueId, required: true',
      `name: Tier, type: singleSelect, options: [Keep, T${round}]`,
      `name: Flex, type: ${flexType(round)}`,
      ...required,
    ],
    'busy',
  );
}

const flexType = (round: number): string => (round % 2 === 0 ? 'number' : 'date');
const flexValue = (round: number): string => (round % 2 === 0 ? '5' : '2026-01-02');
const requiredValues = (round: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: round }, (_, n) => [`Req${n + 1}`, 'x']));

interface Stored {
  readonly version: number;
  readonly is_new: boolean;
  readonly names: Record<string, string>;
}

describe('a write is never judged by a definition older than the one in force when it commits', () => {
  let service: TestService;
  let other: OtherProcess;
  let authorization: string;
  const versions = new Map<number, number>();

  beforeAll(async () => {
    service = await startService();
    await apply(0);
    authorization = `Bearer ${await service.key('busy')}`;
    other = await startOtherProcess(service.config.databaseUrl ?? '');
    await watch();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  it(`${rounds} definitions come into force under constant writes to two processes`, async () => {
    const state = { round: 0, applied: 0, isOver: false };
    await post(service.url, { ID: 'old', Tier: 'Keep' }).expect(201);
    const writers = [service.url, other.url].flatMap((url, process) => [
      // What every definition accepts never fails.
      whileRunning(state, async (n) => {
        const { status } = await answered(() =>
          send(request(url).put(tasks), { ID: 'old', Tier: n % 2 ? 'Keep' : null }),
        );
        expect(status).toBe(200);
      }),
      // What the one in force accepts is only refused by the next one.
      whileRunning(state, async (n) => {
        const { round, applied } = state;
        const body = {
          ID: `${process}-${n}`,
          Tier: `T${round}`,
          Flex: flexValue(round),
          ...requiredValues(round),
        };
        const { status } = await answered(() => post(url, body));
        expect([201, 422]).toContain(status);
        if (round === applied && round === state.round && state.applied === applied) expect(status).toBe(201);
        if (status !== 201) return;
        const blank = await answered(() => send(request(url).put(tasks), { ID: body.ID, Flex: null }));
        expect(blank.status).toBe(200);
      }),
    ]);
    const running = Promise.all(writers).finally(() => (state.isOver = true));
    for (let round = 1; round <= rounds && !state.isOver; round += 1) {
      state.round = round;
      await apply(round);
      state.applied = round;
      // The very next request, on the other process, is answered by it.
      const id = `seen-${round}`;
      const values = { Flex: flexValue(round), ...requiredValues(round) };
      await send(request(other.url).get(`${tasks}?Req${round}=x&_limit=1`)).expect(200);
      await post(other.url, { ...values, ID: id, Tier: `T${round - 1}` }).expect(422);
      await post(other.url, { ...values, ID: id, Tier: `T${round}`, Flex: flexValue(round - 1) }).expect(422);
      await post(other.url, { ...values, ID: id, Tier: 'Keep', [`Req${round}`]: null }).expect(422);
      await post(other.url, { ...values, ID: id, Tier: `T${round}`, Flex: null }).expect(201);
    }
    state.isOver = true;
    await running;

    const stored = await seen();
    expect(new Set(stored.map(({ version }) => versions.get(version))).size).toBe(rounds + 1);
    expect(stored.filter((row) => !isOf(row))).toEqual([]);
  });

  /** Retyping is refused while a task holds a value that does not fit, as one mostly does here: so until it is not. */
  async function apply(round: number): Promise<void> {
    for (const deadline = Date.now() + patience; ;) {
      try {
        await service.apply(definition(round));
        const [row] = await service.dataSource.query<{ version: number }[]>('SELECT version FROM workspaces');
        return void versions.set(row?.version ?? 0, round);
      } catch (error) {
        if (!String(error).includes('fit the type') || Date.now() > deadline) throw error;
      }
    }
  }

  /** Writes down every stored task with the version of the definition in force when it was stored. */
  async function watch(): Promise<void> {
    await service.dataSource.query(`
      CREATE TABLE seen (workspace_id integer, version integer, is_new boolean, names jsonb);
      CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO seen SELECT w.id, w.version, TG_OP = 'INSERT', (
          SELECT jsonb_object_agg(f.name, NEW.field_values ->> f.id) FROM fields f WHERE NEW.field_values ? f.id
        ) FROM workspaces w WHERE w.id = NEW.workspace_id;
        RETURN NULL;
      END $$;
      CREATE TRIGGER see AFTER INSERT OR UPDATE ON tasks FOR EACH ROW EXECUTE FUNCTION see()`);
  }

  async function seen(): Promise<Stored[]> {
    return service.dataSource.query<Stored[]>(
      `SELECT version, is_new, COALESCE(names, '{}') AS names FROM seen`,
    );
  }

  function isOf({ version, is_new: isNew, names }: Stored): boolean {
    const round = versions.get(version) ?? NaN;
    const isTyped = names['Flex'] === undefined || names['Flex'] === flexValue(round);
    if (!isNew) return isTyped;
    const hasOption = names['Tier'] === undefined || ['Keep', `T${round}`].includes(names['Tier']);
    return isTyped && hasOption && Object.keys(requiredValues(round)).every((name) => names[name] === 'x');
  }

  const send = (test: request.Test, body?: object): request.Test =>
    test.set('Authorization', authorization).send(body);
  const post = (url: string, body: object): request.Test => send(request(url).post(tasks), body);
});

/** A write that has waited 5 s for a slow apply is 503, and is asked again. */
async function answered(ask: () => request.Test): Promise<request.Response> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
}

async function whileRunning(state: { isOver: boolean }, write: (n: number) => Promise<void>): Promise<void> {
  for (let n = 0; !state.isOver; n += 1) await write(n);
}

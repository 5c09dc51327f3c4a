import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { sendRaw } from '../../support/raw-request.js';
import { startServiceWith } from '../../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
const rounds = 16;

/** Round by round a stage, a field and an option go and others come, and one more field is required. */
const definition = (round: number): string => `
workspace: { id: busy, name: Busy }
users: [{ email: mina@acme.test }]
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: S${round} }, { name: S${round - 1}, removed: true, move_tasks_to: New }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Count, type: number }
      - { name: Tier, type: singleSelect, options: [Keep, T${round}] }
      - { name: F${round}, type: text }
${requiredNames(round)
  .map((name) => `      - { name: ${name}, type: text, required: true }\n`)
  .join('')}
`;

const requiredNames = (round: number): string[] => Array.from({ length: round }, (_, n) => `Req${n + 1}`);
/** What a task must have to be created. */
const required = (round: number): Record<string, string> =>
  Object.fromEntries(requiredNames(round).map((name) => [name, 'x']));

interface Stored {
  readonly version: number;
  readonly names: Record<string, string>;
}

const { service, key } = await startServiceWith(definition(0));

describe(`while ${rounds} definitions come into force under constant writes to two processes`, () => {
  let other: OtherProcess;
  /** The rounds by their versions of the definition. */
  const versions = new Map<number, number>();

  beforeAll(async () => {
    await apply(0);
    other = await startOtherProcess(service.config.databaseUrl ?? '');
    await service.dataSource.query(writeDown);
  });
  afterAll(() => other.stop());

  /** Sends, again after a 503: a write waits 5 s at most for an apply. */
  async function send(url: string, method: 'POST' | 'PUT', values: object) {
    const headers = Object.entries({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' });
    const sent = { method, path: tasks, headers, body: JSON.stringify(values) };
    let answer = await sendRaw(url, sent);
    while (answer.status === 503) answer = await sendRaw(url, sent);
    return answer;
  }

  it('each write is judged by the definition in force when it commits, none is lost, and nothing is left behind', async () => {
    const state = { round: 0, applied: 0, isOver: false };
    const last = new Map<string, number>();
    const ids = ['a', 'b', 'c', 'd'];
    for (const ID of ids) expect((await send(service.url, 'POST', { ID })).status).toBe(201);
    const whileRunning = async (work: (n: number) => Promise<void>): Promise<void> => {
      for (let n = 1; !state.isOver; n += 1) await work(n);
    };
    const writers = [service.url, other.url].flatMap((url, process) => [
      // What every definition accepts never fails, and what was acknowledged stays.
      ...ids.slice(process * 2, process * 2 + 2).map((ID) =>
        whileRunning(async (n) => {
          const values = { ID, Count: String(n), Tier: n % 2 ? 'Keep' : null };
          expect((await send(url, 'PUT', values)).status).toBe(200);
          last.set(ID, n);
        }),
      ),
      // The stage and the field may have gone meanwhile.
      whileRunning(async (n) => {
        const { round } = state;
        const moved = { ...required(round), ID: `t${n % 20}`, Stage: `S${round}`, [`F${round}`]: 'x' };
        expect([200, 201, 422]).toContain((await send(url, 'POST', moved)).status);
      }),
      // What the one in force accepts is only refused by the next one.
      whileRunning(async (n) => {
        const { round, applied } = state;
        const values = { ...required(round), ID: `${process}-${n}`, Tier: `T${round}` };
        const { status } = await send(url, 'POST', values);
        expect([201, 422]).toContain(status);
        if (round === applied && round === state.round && state.applied === applied) expect(status).toBe(201);
      }),
    ]);
    const running = Promise.all(writers).finally(() => (state.isOver = true));
    for (let round = 1; round <= rounds && !state.isOver; round += 1) {
      state.round = round;
      await apply(round);
      state.applied = round;
    }
    state.isOver = true;
    await running;
    expect(state.applied).toBe(rounds);

    for (const [ID, count] of last) {
      const task = await service.client(key).read(`${tasks}/${ID}`);
      expect(task).toMatchObject({ Count: String(count) });
    }
    const stored = await service.dataSource.query<Stored[]>('SELECT * FROM seen');
    expect(new Set(stored.map(({ version }) => version)).size).toBeGreaterThan(rounds / 2);
    expect(stored.filter((row) => !isOf(row))).toEqual([]);
    // What tasks hold are values of fields that there are, in stages that there are.
    expect(await service.dataSource.query(left)).toEqual([{ values: '0', stages: '2', versions: String(rounds + 1) }]); // prettier-ignore
  });

  async function apply(round: number): Promise<void> {
    await service.apply(definition(round), { isPruning: true, allowsDataLoss: true });
    const [row] = await service.dataSource.query<{ version: number }[]>('SELECT version FROM workspaces');
    versions.set(row?.version ?? 0, round);
  }

  /** Whether a new task is one that the definition in force takes. */
  function isOf({ version, names }: Stored): boolean {
    const round = versions.get(version) ?? NaN;
    const hasOption = names['Tier'] === undefined || ['Keep', `T${round}`].includes(names['Tier']);
    return hasOption && requiredNames(round).every((name) => names[name] === 'x');
  }
});

/** Writes down every new thing with the version of the definition in force when it was stored. */
const writeDown = `
  CREATE TABLE seen (version integer, names jsonb);
  CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO seen SELECT w.version, COALESCE((
      SELECT jsonb_object_agg(f.name, NEW.field_values ->> f.id) FROM fields f WHERE NEW.field_values ? f.id
    ), '{}') FROM workspaces w JOIN workflows f ON f.workspace_id = w.id AND f.id = NEW.workflow_id AND f.slug = 'things'
    WHERE w.id = NEW.workspace_id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER see AFTER INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION see()`;

const left = `
  SELECT (SELECT count(*) FROM tasks t, jsonb_object_keys(t.field_values) k WHERE k NOT IN (SELECT id FROM fields)) AS values,
    (SELECT count(*) FROM stages) AS stages, (SELECT count(*) FROM definition_versions) AS versions`;

import { connect, type Socket } from 'node:net';
import { everyType, workflowOf } from '../../support/definitions.js';
import { startServiceWith } from '../../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';

const plain = workflowOf(['name: ID, type: uniqueId, required: true', 'name: Note, type: longText'], 'other');
const { service, api: greedy, key: greedyKey } = await startServiceWith([everyType, plain]);
const other = service.client(await service.key('other'));
await greedy.post(tasks, { ID: 'first' }).expect(201);
await other.post(tasks, { ID: '1' }).expect(201);
// 40 tasks of 1 MB; the word is in the last.
await service.dataSource.query(
  `INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
   SELECT t.workspace_id, t.workflow_id, n, n, t.stage_id, true, jsonb_build_object(
     (SELECT id FROM fields WHERE name = 'Long Text'),
     repeat('x', 999990) || CASE WHEN n = 40 THEN 'needle' ELSE '' END)
   FROM tasks t, generate_series(1, 40) n WHERE unique_value = 'first'`,
);

describe('while one key does its worst, other keys find room', () => {
  const sockets: Socket[] = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** Sends this as it is; nothing of the answer is read. */
  function send(text: string): Socket {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write(text);
    sockets.push(socket);
    return socket;
  }

  const headOf = (request: string): string =>
    `${request} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${greedyKey}\r\n`;

  it('for connections, although its requests hold all that it may have', async () => {
    const holder = service.dataSource.createQueryRunner();
    await holder.startTransaction();
    // Of the two workspaces only one has relationships.
    await holder.query('LOCK TABLE links IN ACCESS EXCLUSIVE MODE');
    let answered = 0;
    const held = Array.from({ length: 60 }, (_, n) =>
      greedy.get(n % 2 === 0 ? `${tasks}/first` : `${tasks}?_limit=2`).then(
        ({ status }) => (answered += status === 200 ? 1 : 0),
        // The time limit of a lock, 5 s, comes where the machine is slow.
        () => undefined,
      ),
    );
    try {
      for (let n = 0; n < 10; n += 1) {
        await other.get(`${tasks}/1`).expect(200);
        await other.put(tasks, { ID: '1', Note: `${n}` }).expect(200);
        await other.get(`${tasks}?Note=${n}`).expect(200);
      }
      expect(answered).toBe(0);
    } finally {
      await holder.commitTransaction();
      await holder.release();
    }
    await Promise.all(held);
  });

  it('for lists that are being sent, although it reads none of a hundred', async () => {
    for (let n = 0; n < 110; n += 1) send(`${headOf(`GET ${tasks}`)}\r\n`);
    for (let n = 0; n < 5; n += 1) await other.get(tasks).expect(200);
  });

  it('for bodies in memory, although it announces more than the whole memory', async () => {
    const head = `${headOf(`POST ${tasks}`)}Content-Type: application/json\r\nContent-Length: 8388608\r\n\r\n`;
    let answered = 0;
    for (let n = 0; n < 20; n += 1)
      send(`${head}{`)
        .on('data', () => (answered += 1))
        .resume();
    await other.put(tasks, { ID: '1', Note: 'x'.repeat(200_000) }).expect(200);
    expect(answered).toBe(0);
  });

  /** Stores a task whose long text is this character again and again. */
  async function store(id: string, character: string, length: number): Promise<void> {
    await service.dataSource.query(
      `INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
       SELECT t.workspace_id, t.workflow_id, $1, $1, t.stage_id, true,
         jsonb_build_object((SELECT id FROM fields WHERE name = 'Long Text'), repeat($2::text, $3))
       FROM tasks t WHERE unique_value = 'first'`,
      [id, character, length],
    );
  }

  it('for answers in memory, although it reads none of a hundred of the greatest length', async () => {
    await store('long', '\u0001', 170_000);
    for (let n = 0; n < 100; n += 1) send(`${headOf(`GET ${tasks}/long`)}\r\n`);
    for (let n = 0; n < 20; n += 1) await other.get(`${tasks}/1`).expect(200);
    await other.put(tasks, { ID: 'long', Note: 'x'.repeat(200_000) }).expect(404);
  });

  it('for tasks in memory, although its task grows and grows: a task takes at most 1 MB', async () => {
    await store('largest', 'x', 1_040_000);
    const errors = { base: ['A task can have at most 1 MB: upload long content as a file'] };
    await greedy.put(tasks, { ID: 'largest', Text: 'x'.repeat(10_000) }).expect(422, { errors });
    await greedy.put(tasks, { ID: 'largest', 'Long Text': 'short' }).expect(200);
  });
});

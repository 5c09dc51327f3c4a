import { type EntityManager } from 'typeorm';
import { applyDefinition } from '../../src/workflows/definition/apply-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { workflowOf } from '../support/definitions.js';
import { type Client, startService } from '../support/service.js';
import { blocked } from '../support/blocked.js';

const tasks = '/api/v1/workflows/things/tasks';
const id = 'name: ID, type: uniqueId, required: true';

const service = await startService({}, undefined, { lockTimeout: '2s' });
afterAll(() => service.stop());

describe('a definition comes into force', () => {
  async function start(workspace: string, ...fields: string[]): Promise<Client> {
    return service.clientOf(workflowOf([id, ...fields], workspace));
  }

  /** Holds the lock that an apply of this workspace holds, while the work is done. */
  async function whileApplying(
    workspace: string,
    work: (db: EntityManager, workspaceId: number) => Promise<void>,
  ): Promise<void> {
    const { id } = await service.dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: workspace });
    await service.dataSource.transaction(async (db) => {
      await db.query(
        'SELECT pg_advisory_xact_lock(workspace_id, id) FROM workflows WHERE workspace_id = $1',
        [id],
      );
      await work(db, id);
    });
  }

  it('a write that waits for an apply is judged by the applied definition', async () => {
    const api = await start('waiting', 'name: Tier, type: singleSelect, options: [A, B]');
    await api.post(tasks, { ID: 'warm', Tier: 'A' }).expect(201);
    let late: Promise<{ status: number }> | undefined;
    await whileApplying('waiting', async (db, workspaceId) => {
      // Nobody sees it before the end. It is done first, because a write does not wait for long.
      await db.query(`UPDATE fields SET settings = '{"options":["B"]}' WHERE name = 'Tier' AND workspace_id = $1`, [workspaceId]); // prettier-ignore
      await db.increment(WorkspaceEntity, { id: workspaceId }, 'version', 1);
      late = api.post(tasks, { ID: 'late', Tier: 'A' }).then(({ status }) => ({ status }));
      await blocked(service.dataSource);
    });
    expect(await late).toEqual({ status: 422 });
    await api.get(`${tasks}/late`).expect(404);
  });

  it('reads go on while writes wait; a write that waits too long is 503, and others succeed', async () => {
    const api = await start('busy', 'name: Text, type: text');
    await api.post(tasks, { ID: '1' }).expect(201);
    let waiting: Promise<number[]> | undefined;
    await whileApplying('busy', async () => {
      const posts = Array.from({ length: 40 }, (_, n) =>
        api.post(tasks, { ID: `w${n}` }).then(({ status }) => status),
      );
      waiting = Promise.all(posts);
      for (let n = 0; n < 20; n += 1) await api.get(`${tasks}/1`).expect(200);
      await api.get('/health/ready').expect(200);
      const first = await Promise.race(posts);
      expect(first).toBe(503);
    });
    const statuses = await waiting;
    expect(new Set(statuses)).toEqual(new Set([201, 503]));
  });

  it('the next request sees the definition, even if the old definition refused it', async () => {
    const api = await start('next', 'name: Text, type: text');
    await api.get(`${tasks}?Text=x`).expect(200);
    for (let n = 0; n < 2; n += 1) {
      await api.get(`${tasks}?New${n}=x`).expect(422);
      await service.apply(
        workflowOf([id, ...Array.from({ length: n + 1 }, (_, k) => `name: New${k}, type: text`)], 'next'),
      );
      await api.get(`${tasks}?New${n}=x`).expect(200);
      await api.post(tasks, { ID: `${n}`, [`New${n}`]: 'x' }).expect(201);
    }
  });

  it('a rename keeps every value, and frees the name for another element', async () => {
    const api = await start('renamed', 'name: Old, type: text', 'name: Other, type: number');
    await api.post(tasks, { ID: '1', Old: 'kept', Other: 2 }).expect(201);
    const yaml = workflowOf([id, 'name: New, was: Old, type: text', 'name: Old, type: number', 'name: Other, type: number'], 'renamed'); // prettier-ignore
    await service.apply(yaml);
    expect((await api.get(`${tasks}/1`)).body).toMatchObject({ New: 'kept', Old: null, Other: '2' });
    const { changes } = await applyDefinition(service.dataSource, readDefinition(yaml, 'again.yaml'));
    expect(changes).toEqual([]);
    await api.put(tasks, { ID: '1', Old: 7 }).expect(200);
  });

  it('tasks follow a stage that becomes an end stage, and numbering goes on from existing tasks', async () => {
    const api = await start('moving', 'name: Text, type: text');
    await api.post(tasks, { ID: '41' }).expect(201);
    expect((await api.get(`${tasks}/active`)).body).toHaveLength(1);
    const yaml = workflowOf(['name: ID, type: uniqueId, required: true, autoincrement: true'], 'moving');
    await service.apply(
      yaml.replace('{ name: New }', '{ name: Fresh, initial: true }, { name: New, end: true }'),
    );
    expect((await api.get(`${tasks}/active`)).body).toHaveLength(0);
    expect((await api.post(tasks, {}).expect(201)).body).toMatchObject({ ID: '42', Stage: 'Fresh' });
  });
});

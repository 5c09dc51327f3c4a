import fc from 'fast-check';
import { type MigrationInterface } from 'typeorm';
import { SeedHelpdesk1795305600000 as SeedHelpdesk } from '../../migrations/examples/1795305600000-seed-helpdesk.js';
import { findHistory } from '../../src/definitions/store/history.js';
import { DefinitionFaults } from '../../src/definitions/source/faults.js';
import { seedDefinition, unseedDefinition } from '../../src/definitions/seed.js';
import { loadDefinitionRows } from '../../src/definitions/seed/undo.js';
import { WorkspaceEntity } from '../../src/entities/workspace.entity.js';
import { type JsonMapping } from '../../src/workspace/definition-reader.js';
import { anyDefinition } from '../support/any-definition.js';
import { type Client, startService, type TestService } from '../support/service.js';

const tasks = '/api/v1/workflows/tickets/tasks';

describe('a migration that applies a definition', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  async function migrate(
    direction: 'up' | 'down',
    migration: MigrationInterface = new SeedHelpdesk(),
  ): Promise<void> {
    await service.dataSource.transaction((db) => migration[direction](db.queryRunner ?? service.dataSource.createQueryRunner())); // prettier-ignore
  }

  function migrationOf(name: string, yaml: string): MigrationInterface {
    return {
      name,
      up: (db) => seedDefinition(db, name, yaml),
      down: (db) => unseedDefinition(db, name),
    };
  }

  async function client(workspace = 'helpdesk'): Promise<Client> {
    return service.client(await service.key(workspace));
  }

  async function rows(slug: string): Promise<unknown> {
    const { manager } = service.dataSource;
    const { id } = await manager.findOneByOrFail(WorkspaceEntity, { slug });
    return loadDefinitionRows(manager, id);
  }

  it('is there after up, gone without a trace after down, and comes again', async () => {
    for (const round of [1, 2]) {
      await migrate('up');
      const api = await client();
      await api.get(tasks).expect(200);
      await migrate('down');
      const counts = await service.dataSource.query<{ n: string }[]>(
        `SELECT count(*) AS n FROM workspaces UNION ALL SELECT count(*) FROM fields UNION ALL SELECT count(*) FROM users
         UNION ALL SELECT count(*) FROM definition_migrations`,
      );
      expect([round, ...counts.map(({ n }) => n)]).toEqual([round, '0', '0', '0', '0']);
    }
  });

  it('stays when down would lose a task', async () => {
    await migrate('up');
    const [version] = (await findHistory(service.dataSource.manager, 'helpdesk')) ?? [];
    expect(version).toMatchObject({ version: 1, appliedBy: 'SeedHelpdesk1795305600000' });
    const api = await client();
    await api.post(tasks, { Subject: 'Help' }).expect(201);
    await expect(migrate('down')).rejects.toThrow(/^workflow tickets cannot go: it holds 1 task$/m);
    expect((await api.get(`${tasks}/1`).expect(200)).body).toMatchObject({
      Subject: 'Help',
      Priority: 'Low',
    });
    // What was done with a task that is gone is no reason to stay.
    await api.put(tasks, { Number: 1, 'Assigned To': 'agent@helpdesk.test' }).expect(200);
    const start = { task_id: '1', action_id: 'close' };
    await api.post('/api/v1/workflows/tickets/executions', start).set('Prefer', 'wait=20').expect(200);
    await api.delete(`${tasks}/1`).expect(204);
    await migrate('down');
  });

  describe('to a workspace with tasks', () => {
    const change = migrationOf(
      'Change1',
      `
workspace: { id: helpdesk, name: Help, timezone: Europe/Berlin }
users: [{ email: ada@helpdesk.test, was: agent@helpdesk.test }, { email: new@helpdesk.test }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: Received, was: Open }, { name: Waiting }, { name: Closed }]
    fields:
      - { name: Topic, was: Subject, type: longText }
      - { name: Size, type: number, decimals: 1 }
      - { name: Priority, type: singleSelect, options: [Low, Medium, High] }
    checklist: [{ title: Greet, stage: Received }]
    roles: [{ id: agent, name: Agent, actions: [close] }]
    members: [{ email: ada@helpdesk.test, role: agent }]
    actions:
      - { id: close, name: Shut, stages: [Received], steps: [{ name: Close, type: move_to_stage, stage: Closed }] }
  - id: teams
    name: Teams
    stages: [{ name: Open }]
    fields: [{ name: ID, type: uniqueId, required: true }]
relationships:
  - { id: team, kind: many_to_one, from: { workflow: tickets, name: Team }, to: { workflow: teams, name: Tickets } }
`,
    );
    let found: unknown;
    let api: Client;

    beforeAll(async () => {
      await migrate('up');
      api = await client();
      found = await rows('helpdesk');
    });
    afterEach(async () => {
      await migrate('down', change);
      expect(await rows('helpdesk')).toEqual(found);
    });

    it('is undone with every name, type, order and setting; tasks keep their values', async () => {
      await service.apply('{ workspace: { id: helpdesk }, workflows: [{ id: tickets, name: Tickets }] }');
      await migrate('up', change);
      expect((await api.get(tasks).expect(200)).body).toEqual([]);
    });

    it('is undone when tasks came meanwhile, which are shown by the old names', async () => {
      await api.post(tasks, { Subject: 'Old', Number: '1' }).expect(201);
      // A field that holds a value cannot turn into another type, so this one stays.
      const renaming = migrationOf(
        'Rename1',
        `
workspace: { id: helpdesk }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: Received, was: Open, end: true }]
    fields: [{ name: Topic, was: Subject, type: text, required: true }]
`,
      );
      await migrate('up', renaming);
      await api.post(tasks, { Topic: 'New', Number: '2' }).expect(201);
      expect((await api.get(`${tasks}/active`).expect(200)).body).toEqual([]);
      await migrate('down', renaming);
      const shown = (await api.get(`${tasks}/active`).expect(200)).body as object[];
      expect(shown).toMatchObject([
        { Stage: 'Open', Subject: 'Old' },
        { Stage: 'Open', Subject: 'New' },
      ]);
      for (const id of [1, 2]) await api.delete(`${tasks}/${id}`).expect(204);
      await migrate('up', change);
    });

    it('refuses with every reason when tasks use what it brought, and then changes nothing', async () => {
      await migrate('up', change);
      const brought = await rows('helpdesk');
      await api.post('/api/v1/workflows/teams/tasks', { ID: 'T' }).expect(201);
      await api
        .post(tasks, {
          Number: '3',
          Stage: 'Waiting',
          Size: '1.5',
          Topic: 'x',
          'Assigned To': 'new@helpdesk.test',
          Team: { ID: 'T' },
        }) // prettier-ignore
        .expect(201);
      const failure: unknown = await migrate('down', change).catch((error: unknown) => error);
      expect(String(failure).replace('Error: ', '').split('\n').sort()).toEqual([
        'field tickets / Size cannot go: 1 task holds a value',
        'field tickets / Topic cannot go back: 1 task holds a value',
        'relationship team cannot go: it has 1 link',
        'stage tickets / Waiting cannot go: 1 task stands in it',
        'user new@helpdesk.test cannot go: 1 task names it',
        'workflow teams cannot go: it holds 1 task',
      ]);
      expect(await rows('helpdesk')).toEqual(brought);
      await api.delete(`${tasks}/3`).expect(204);
      await api.delete('/api/v1/workflows/teams/tasks/T').expect(204);
    });

    it('leaves what came later, and refuses where its own work was changed later', async () => {
      await migrate('up', change);
      await service.apply('{ workspace: { id: helpdesk }, users: [{ email: later@helpdesk.test }], workflows: [{ id: tickets, name: Tickets, fields: [{ name: Size, type: number, decimals: 2 }] }] }'); // prettier-ignore
      await expect(migrate('down', change)).rejects.toThrow(/^field tickets \/ Size has been changed since$/);
      await service.apply('{ workspace: { id: helpdesk }, workflows: [{ id: tickets, name: Tickets, fields: [{ name: Size, type: number, decimals: 1 }] }] }'); // prettier-ignore
      await migrate('down', change);
      const exported = JSON.stringify(await rows('helpdesk'));
      expect(exported).toContain('later@helpdesk.test');
      expect(exported).not.toContain('Size');
      await service.dataSource.query(`DELETE FROM users WHERE email = 'later@helpdesk.test'`);
      await migrate('up', change);
    });

    it('refuses when what stays would refer to what goes', async () => {
      await migrate('up', change);
      const loose = migrationOf(
        'Loose1',
        '{ workspace: { id: helpdesk }, workflows: [{ id: tickets, name: Tickets, actions: [{ id: wait, name: Wait, steps: [{ name: Wait, type: move_to_stage, stage: Waiting }] }] }] }', // prettier-ignore
      );
      await migrate('up', loose);
      await expect(migrate('down', change)).rejects.toThrow('is not a stage of workflow tickets: Waiting');
      await migrate('down', loose);
    });

    it('brings back what up removed', async () => {
      await migrate('up', change);
      // As if it had removed the action, which applying alone never does.
      await service.dataSource.query(`DELETE FROM actions`);
      await service.dataSource.query(`
        UPDATE definition_migrations SET left_behind = jsonb_set(left_behind::jsonb, '{actions}', '[]')
        WHERE migration = 'Change1'`);
    });
  });

  it('is not undone where its up has never run', async () => {
    await expect(migrate('down', migrationOf('Unknown1', ''))).rejects.toThrow(
      'Unknown1 cannot be undone: this database does not know what it found',
    );
  });

  it('is undone to the row, whatever it was and whatever it changed', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(anyDefinition('x'), anyDefinition('x'), async (first, second) => {
        count += 1;
        const id = `any-${count}`;
        await migrate('up', migrationOf(`First${count}`, textOf(first, id)));
        const found = await rows(id);
        const migration = migrationOf(`Second${count}`, textOf(second, id));
        await migrate('up', migration).catch((error: unknown) => {
          // Not every document fits onto every other.
          fc.pre(!(error instanceof DefinitionFaults));
          throw error;
        });
        await migrate('down', migration);
        expect(await rows(id)).toEqual(found);
      }),
      { numRuns: 15, endOnFailure: true },
    );
  }, 120_000);
});

function textOf(document: JsonMapping, id: string): string {
  return JSON.stringify({ ...document, workspace: { ...Object(document.workspace), id } });
}

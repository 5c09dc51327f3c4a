import { type MigrationInterface } from 'typeorm';
import { SeedHelpdesk1795305600000 as SeedHelpdesk } from '../../migrations/examples/1795305600000-seed-helpdesk.js';
import { findHistory } from '../../src/workflows/definition/store/history.js';
import { seedDefinition, unseedDefinition } from '../../src/workflows/definition/seed.js';
import { type Client, startService } from '../support/service.js';

const tasks = '/api/v1/workflows/tickets/tasks';

const service = await startService();
afterAll(() => service.stop());

describe('a migration that applies a definition', () => {
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

  /** The definition in force, as the history tells it. */
  async function inForce(slug = 'helpdesk'): Promise<unknown> {
    const [newest] = (await findHistory(service.dataSource.manager, slug)) ?? [];
    return newest?.definition;
  }

  it('makes a workspace, leaves it empty when it is undone, and makes it again', async () => {
    const made: unknown[] = [];
    for (const round of [1, 2]) {
      await migrate('up');
      const api = await client();
      await api.get(tasks).expect(200);
      made.push(await inForce());
      await migrate('down');
      await api.get(tasks).expect(404);
      const rows = await service.dataSource.query<{ n: string }[]>(
        `SELECT count(*) AS n FROM workflows UNION ALL SELECT count(*) FROM fields
         UNION ALL SELECT count(*) FROM users WHERE active UNION ALL SELECT count(*) FROM definition_migrations`,
      );
      expect([round, ...rows.map(({ n }) => n)]).toEqual([round, '0', '0', '0', '0']);
    }
    expect(made[1]).toEqual(made[0]);
  });

  describe('to a workspace with tasks', () => {
    const change = migrationOf(
      'Change1',
      `
workspace: { id: helpdesk, name: Help, timezone: Europe/Berlin }
users: [{ email: ada@helpdesk.test, was: agent@helpdesk.test }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: Received, was: Open }, { name: Waiting }, { name: Closed }]
    fields:
      - { name: Topic, was: Subject, type: text }
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
      found = await inForce();
    });
    afterEach(async () => {
      await migrate('down', change);
      expect(await inForce()).toEqual(found);
    });

    it('is undone with every name, type, order and setting; tasks keep their values', async () => {
      const number = '7';
      await api.post(tasks, { Subject: 'Old', Number: number }).expect(201);
      await migrate('up', change);
      expect((await api.get(`${tasks}/${number}`).expect(200)).body).toMatchObject({
        Stage: 'Received',
        Topic: 'Old',
      });
      await migrate('down', change);
      expect((await api.get(`${tasks}/${number}`).expect(200)).body).toMatchObject({
        Stage: 'Open',
        Subject: 'Old',
      });
      await api.delete(`${tasks}/${number}`).expect(204);
      await migrate('up', change);
    });

    it('refuses with every reason if tasks use its elements, and changes nothing', async () => {
      await migrate('up', change);
      const brought = await inForce();
      await api.post('/api/v1/workflows/teams/tasks', { ID: 'T' }).expect(201);
      await api
        .post(tasks, { Number: '3', Stage: 'Waiting', Size: '1.5', Topic: 'x', Team: { ID: 'T' } })
        .expect(201);
      const failure: unknown = await migrate('down', change).catch((error: unknown) => error);
      for (const reason of ['Size', 'team', 'Waiting', 'teams']) expect(String(failure)).toContain(reason);
      expect(await inForce()).toEqual(brought);
      await api.delete(`${tasks}/3`).expect(204);
      await api.delete('/api/v1/workflows/teams/tasks/T').expect(204);
    });

    it('refuses where the definition has been changed since, and names the way', async () => {
      await migrate('up', change);
      const sized = (decimals: number): Promise<unknown> =>
        service.apply(
          `{ workspace: { id: helpdesk }, workflows: [{ id: tickets, name: Tickets, fields: [{ name: Size, type: number, decimals: ${decimals} }] }] }`,
        );
      await sized(2);
      await expect(migrate('down', change)).rejects.toThrow(
        /^The definition of helpdesk has been changed since\. To discard the later changes too: POST \/api\/v1\/definition\/rollback\?to=\d+$/,
      );
      // Changed back, it is what the migration left.
      await sized(1);
    });
  });

  it('is not undone where its up has never run', async () => {
    await expect(migrate('down', migrationOf('Unknown1', ''))).rejects.toThrow(
      'Unknown1 cannot be undone: it has not run on this database',
    );
  });
});

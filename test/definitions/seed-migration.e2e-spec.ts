import { type MigrationInterface } from 'typeorm';
import { SeedHelpdesk1795305600000 as SeedHelpdesk } from '../../migrations/examples/1795305600000-seed-helpdesk.js';
import { findHistory } from '../../src/workflows/definition/store/history.js';
import { seedDefinition, unseedDefinition } from '../../src/workflows/definition/seed.js';
import { startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/tickets/tasks';

const { service } = await startServiceWith([]);

describe('a migration that applies a definition', () => {
  const migrate = (direction: 'up' | 'down', migration: MigrationInterface = new SeedHelpdesk()): Promise<void> =>
    service.dataSource.transaction((db) => migration[direction](db.queryRunner ?? service.dataSource.createQueryRunner())); // prettier-ignore

  const change: MigrationInterface = {
    name: 'Change1',
    up: (db) =>
      seedDefinition(
        db,
        'Change1',
        `
workspace: { id: helpdesk, name: Help, timezone: Europe/Berlin }
users: [{ email: ada@helpdesk.test, was: agent@helpdesk.test }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: Received, was: Open }, { name: Waiting }, { name: Closed }]
    fields: [{ name: Topic, was: Subject, type: text }, { name: Size, type: number }]
    checklist: [{ title: Greet, stage: Received }]
    actions: [{ id: close, name: Shut, stages: [Received] }]
  - { id: teams, name: Teams, stages: [{ name: Open }], fields: [{ name: ID, type: uniqueId, required: true }] }
relationships:
  - { id: team, kind: many_to_one, from: { workflow: tickets, name: Team }, to: { workflow: teams, name: Tickets } }
`,
      ),
    down: (db) => unseedDefinition(db, 'Change1'),
  };

  /** The definition in force, as the history tells it. */
  async function inForce(): Promise<unknown> {
    const [newest] = (await findHistory(service.dataSource.manager, 'helpdesk')) ?? [];
    return newest?.definition;
  }

  it('makes a workspace, leaves the workspace empty when undone, and makes it again', async () => {
    await expect(migrate('down')).rejects.toThrow('cannot be undone: it has not run on this database');
    await migrate('up');
    const made = await inForce();
    await migrate('down');
    const rows = await service.dataSource.query<{ n: string }[]>(
      `SELECT count(*) AS n FROM workflows UNION ALL SELECT count(*) FROM fields
       UNION ALL SELECT count(*) FROM users WHERE active UNION ALL SELECT count(*) FROM definition_migrations`,
    );
    expect(rows.map(({ n }) => n)).toEqual(['0', '0', '0', '0']);
    await migrate('up');
    expect(await inForce()).toEqual(made);
  });

  it('is undone completely, unless tasks would lose data or later changes exist', async () => {
    const found = await inForce();
    const api = service.client(await service.key('helpdesk'));
    await api.post(tasks, { Number: '7', Subject: 'Old' }).expect(201);
    await migrate('up', change);
    const brought = await inForce();
    expect(await api.read(`${tasks}/7`)).toMatchObject({ Stage: 'Received', Topic: 'Old' });

    await api.post('/api/v1/workflows/teams/tasks', { ID: 'T' }).expect(201);
    await api.put(tasks, { Number: '7', Stage: 'Waiting', Size: '1.5', Team: { ID: 'T' } }).expect(200);
    const failure: unknown = await migrate('down', change).catch((error: unknown) => error);
    for (const reason of ['Size', 'team', 'Waiting', 'teams']) expect(String(failure)).toContain(reason);
    expect(await inForce()).toEqual(brought);
    await api.put(tasks, { Number: '7', Stage: 'Received', Size: null, Team: null }).expect(200);
    await api.delete('/api/v1/workflows/teams/tasks/T').expect(204);

    const size = (decimals: string): Promise<void> =>
      service.apply(
        `{ workspace: { id: helpdesk }, workflows: [{ id: tickets, name: Tickets, fields: [{ name: Size, type: number${decimals} }] }] }`,
      );
    await size(', decimals: 2');
    await expect(migrate('down', change)).rejects.toThrow(/changed since.*rollback\?to=\d+$/);
    // Changed back, it is what the migration left.
    await size('');
    await migrate('down', change);
    expect(await inForce()).toEqual(found);
    expect(await api.read(`${tasks}/7`)).toMatchObject({ Stage: 'Open', Subject: 'Old' });
  });
});

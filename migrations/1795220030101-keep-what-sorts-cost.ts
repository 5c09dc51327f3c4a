import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What lists cost that were sorted by a field without an index, by day: a plan tells where one would pay. */
export class KeepWhatSortsCost1795220030101 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE sort_costs (
        workspace_id integer NOT NULL REFERENCES workspaces,
        workflow_id integer NOT NULL,
        field_id text COLLATE "C" NOT NULL,
        day date NOT NULL DEFAULT CURRENT_DATE,
        lists integer NOT NULL,
        seconds double precision NOT NULL,
        PRIMARY KEY (workspace_id, workflow_id, field_id, day)
      );
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE sort_costs');
  }
}

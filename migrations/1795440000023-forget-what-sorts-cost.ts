import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Plans no longer hint at fields that would pay for an index: a list says so itself, by `Server-Timing`. */
export class ForgetWhatSortsCost1795440000023 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE sort_costs');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE sort_costs (
        workspace_id integer NOT NULL REFERENCES workspaces,
        workflow_id integer NOT NULL,
        field_id text COLLATE "C" NOT NULL,
        day date NOT NULL DEFAULT CURRENT_DATE,
        lists integer NOT NULL,
        seconds double precision NOT NULL,
        PRIMARY KEY (workspace_id, workflow_id, field_id, day)
      )
    `);
  }
}

import { type MigrationInterface, type QueryRunner } from 'typeorm';

export class CreateReminders1795219200015 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE reminder_states (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        reminder_id text COLLATE "C" NOT NULL,
        every_days integer NOT NULL,
        due_at timestamptz(3) NOT NULL,
        fired integer NOT NULL DEFAULT 0,
        PRIMARY KEY (workspace_id, workflow_id, reminder_id),
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows (workspace_id, id) ON DELETE CASCADE
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE reminder_states');
  }
}

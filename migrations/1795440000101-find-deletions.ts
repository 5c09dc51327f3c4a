import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The deletions of a workflow are found without a look through its other events: they are its bin. */
export class FindDeletions1795440000101 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `CREATE INDEX events_deletions ON events (workspace_id, workflow_id, place) WHERE type = 'task.deleted'`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX events_deletions');
  }
}

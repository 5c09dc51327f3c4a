import { type MigrationInterface, type QueryRunner } from 'typeorm';

const commands = [
  `CREATE INDEX events_deletions ON events (workspace_id, workflow_id, happened_at, place) WHERE type = 'task.deleted'`,
  `CREATE INDEX events_deletion_of ON events (workspace_id, public_id) WHERE type = 'task.deleted'`,
];

/** The deletions of a workflow are found without a look through its other events: they are its bin. */
export class FindDeletions1795440000101 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    for (const command of commands) await db.query(command);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const name of ['events_deletion_of', 'events_deletions']) await db.query(`DROP INDEX ${name}`);
  }
}

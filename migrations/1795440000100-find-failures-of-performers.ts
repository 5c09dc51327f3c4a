import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Lists what failed of what somebody has begun, among all that others did. */
export class FindFailuresOfPerformers1795440000100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE INDEX executions_failed_of ON executions (workspace_id, performer_id, place) WHERE status = 'Fail'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX executions_failed_of');
  }
}

import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Lists what failed among very many executions that did not. */
export class FindFailedExecutions1795220080100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE INDEX executions_failed ON executions (workspace_id, workflow_id, place) WHERE status = 'Fail'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX executions_failed');
  }
}

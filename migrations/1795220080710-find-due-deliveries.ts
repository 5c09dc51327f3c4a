import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Finds what can be sent without looking at what waits, however much of it there is. */
export class FindDueDeliveries1795220080710 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX webhook_deliveries_order');
    await db.query(`
      -- Only what has failed lets others of its task wait.
      CREATE INDEX webhook_deliveries_order ON webhook_deliveries (workspace_id, webhook_id, task_id, place)
        WHERE state = 'pending' AND failed_at IS NOT NULL`);
    await db.query(`
      CREATE INDEX webhook_deliveries_single ON webhook_deliveries (workspace_id, webhook_id, next_at)
        WHERE state = 'pending' AND is_single`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX webhook_deliveries_order');
    await db.query('DROP INDEX webhook_deliveries_single');
    await db.query(`
      CREATE INDEX webhook_deliveries_order ON webhook_deliveries (workspace_id, webhook_id, task_id, place)
        WHERE state = 'pending'`);
  }
}

import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Finds the deliveries of a state however many there are of the others, at the price of one index less. */
export class ListDeliveriesByState1795220070110 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE INDEX webhook_deliveries_state ON webhook_deliveries (workspace_id, webhook_id, state, place);
      DROP INDEX webhook_deliveries_list, webhook_deliveries_failed;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE INDEX webhook_deliveries_list ON webhook_deliveries (workspace_id, webhook_id, place);
      CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (workspace_id, webhook_id, place)
        WHERE state = 'failed';
      DROP INDEX webhook_deliveries_state;
    `);
  }
}

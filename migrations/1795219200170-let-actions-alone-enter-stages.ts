import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A stage may be entered by the steps of actions only; into those that there are, tasks get freely. */
export class LetActionsAloneEnterStages1795219200170 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE stages ADD COLUMN enter text NOT NULL DEFAULT 'freely' CHECK (enter IN ('freely', 'by_actions'))
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE stages DROP COLUMN enter');
  }
}

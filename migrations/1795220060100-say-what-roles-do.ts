import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What a role lets its holders do with the tasks that they see; those that there are keep what they meant. */
export class SayWhatRolesDo1795220060100 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE roles
        ADD COLUMN edits text NOT NULL DEFAULT 'all' CHECK (edits IN ('all', 'assigned', 'none')),
        ADD COLUMN creates boolean NOT NULL DEFAULT true,
        ADD COLUMN moves text NOT NULL DEFAULT 'any_stage' CHECK (moves IN ('any_stage', 'by_actions')),
        ADD COLUMN deletes boolean NOT NULL DEFAULT false
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP FUNCTION IF EXISTS seen_linked_tasks;
      ALTER TABLE roles DROP COLUMN edits, DROP COLUMN creates, DROP COLUMN moves, DROP COLUMN deletes;
    `);
  }
}

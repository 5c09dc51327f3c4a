import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A rule begins behind an event, by its place: the clock of the machine may be set back after an apply. */
export class BeginRulesByPlace1795440000095 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // NULL of a rule that was there before: it begins at its time.
    await db.query('ALTER TABLE rule_states ADD COLUMN begins_behind bigint');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE rule_states DROP COLUMN begins_behind');
  }
}

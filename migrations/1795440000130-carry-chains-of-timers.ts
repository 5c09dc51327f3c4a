import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Lets a timer know the chain of rules that led to it, so that a circle through timers ends. */
export class CarryChainsOfTimers1795440000130 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE timers ADD COLUMN cause jsonb');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE timers DROP COLUMN cause');
  }
}

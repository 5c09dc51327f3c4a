import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions } from '../src/database/functions.js';

/** By their session a page tells a deactivated user what became of them. Statements of version 0.2 ask for active users, too. */
export class KeepSessionsOfDeactivatedUsers1795440000022 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await createFunctions(db, 'end_sessions');
    await db.query('DROP TRIGGER end_sessions ON users');
    await db.query(`
      CREATE TRIGGER end_sessions AFTER UPDATE OF active ON users
        FOR EACH ROW WHEN (OLD.active <> NEW.active) EXECUTE FUNCTION end_sessions()
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TRIGGER end_sessions ON users');
    await db.query(`
      CREATE TRIGGER end_sessions AFTER UPDATE OF active ON users
        FOR EACH ROW WHEN (OLD.active AND NOT NEW.active) EXECUTE FUNCTION end_sessions()
    `);
  }
}

import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A migration that applied a definition is undone by the version before it, which the history has. */
export class ForgetWhatMigrationsFound1795440000020 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE definition_migrations DROP COLUMN found, DROP COLUMN left_behind');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE definition_migrations ADD COLUMN found json NOT NULL DEFAULT '{}',
        ADD COLUMN left_behind json NOT NULL DEFAULT '{}'`);
  }
}

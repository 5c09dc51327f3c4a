import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Links may be for the steps of actions alone to change; those of the relationships that there are anybody changes. */
export class LetActionsAloneChangeValues1795440000005 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE relationships ADD COLUMN from_change text NOT NULL DEFAULT 'freely',
        ADD COLUMN to_change text NOT NULL DEFAULT 'freely'
    `);
    // Citus adds a column and a constraint by one command each.
    await db.query(`
      ALTER TABLE relationships ADD CONSTRAINT relationships_change
        CHECK (from_change IN ('freely', 'by_actions') AND to_change IN ('freely', 'by_actions'))
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE relationships DROP COLUMN from_change, DROP COLUMN to_change');
  }
}

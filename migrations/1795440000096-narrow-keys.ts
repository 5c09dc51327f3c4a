import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A key may be narrowed to workflows, actions and fields, and may act as a user. */
export class NarrowKeys1795440000096 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE api_keys ADD COLUMN user_id text, ADD COLUMN narrowing jsonb');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE api_keys DROP COLUMN user_id, DROP COLUMN narrowing');
  }
}

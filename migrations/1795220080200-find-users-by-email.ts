import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Who signs in by an identity provider is looked for by e-mail, in all workspaces. */
export class FindUsersByEmail1795220080200 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('CREATE INDEX users_email_key ON users (email_key) WHERE active');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX users_email_key');
  }
}

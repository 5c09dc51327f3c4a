import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A link that was mailed has a code beside it, for the browser in which somebody asked for both. */
export class SignInByMail1795440000085 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // A table may be spread over several machines already: these take one command at a time.
    await db.query(`
      ALTER TABLE sign_in_links ADD COLUMN browser bytea, ADD COLUMN code bytea,
        ADD COLUMN tries integer NOT NULL DEFAULT 0`);
    await db.query('CREATE INDEX sign_in_links_browser ON sign_in_links (browser) WHERE browser IS NOT NULL');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX sign_in_links_browser');
    await db.query('ALTER TABLE sign_in_links DROP COLUMN browser, DROP COLUMN code, DROP COLUMN tries');
  }
}

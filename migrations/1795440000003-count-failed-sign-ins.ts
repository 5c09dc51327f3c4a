import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** All processes count failed attempts to sign in together where there is no Redis. After a crash the counts may be gone. */
export class CountFailedSignIns1795440000003 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(
      'CREATE UNLOGGED TABLE sign_in_failures (key text PRIMARY KEY, points integer NOT NULL, expire bigint NOT NULL)',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE sign_in_failures');
  }
}

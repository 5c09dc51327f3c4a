import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A member may hold several roles of a workflow: those beside the first. */
export class LetMembersHoldRoles1795440000093 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE members ADD further_role_ids text[] NOT NULL DEFAULT '{}'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE members DROP further_role_ids');
  }
}

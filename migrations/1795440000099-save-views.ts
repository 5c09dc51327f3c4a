import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Boards and lists that users keep under names of their own; shared ones stand in the definition. */
export class SaveViews1795440000099 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE personal_views (
        workspace_id integer NOT NULL,
        id text COLLATE "C" NOT NULL DEFAULT random_id(),
        user_id text COLLATE "C" NOT NULL,
        workflow_id integer NOT NULL,
        name text NOT NULL,
        shown_as text NOT NULL CHECK (shown_as IN ('board', 'list')),
        query text NOT NULL,
        PRIMARY KEY (workspace_id, id),
        FOREIGN KEY (workspace_id, user_id) REFERENCES users ON DELETE CASCADE,
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows ON DELETE CASCADE
      )`);
    await db.query('CREATE UNIQUE INDEX personal_views_name ON personal_views (workspace_id, user_id, name)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE personal_views');
  }
}

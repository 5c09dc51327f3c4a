import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Lets the rows of unnamed blobs outlive their workspace, so that the sweep finds the bytes. */
export class KeepBlobsOfDeletedWorkspaces1795219200012 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE blobs DROP CONSTRAINT blobs_workspace_id_fkey');
  }

  async down(db: QueryRunner): Promise<void> {
    // Not valid: rows whose workspace was deleted stay until they are swept.
    await db.query(`
      ALTER TABLE blobs ADD CONSTRAINT blobs_workspace_id_fkey
        FOREIGN KEY (workspace_id) REFERENCES workspaces NOT VALID
    `);
  }
}

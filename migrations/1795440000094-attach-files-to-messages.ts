import { type MigrationInterface, type QueryRunner } from 'typeorm';

// One command at a time, since tables can be spread already.
const made = [
  'ALTER TABLE messages ADD attachments jsonb',
  // By which the sweep of blobs finds what has not been sent yet.
  `CREATE INDEX messages_attachments ON messages USING gin (attachments jsonb_path_ops)
   WHERE state <> 'sent' AND attachments IS NOT NULL`,
];

/** Files of a task that go with a mail. */
export class AttachFilesToMessages1795440000094 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    for (const command of made) await db.query(command);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE messages DROP attachments');
  }
}

import { type MigrationInterface, type QueryRunner } from 'typeorm';

const made = [
  // A letter that may have been sent is not sent again: what was in it waits for the next digest.
  'ALTER TABLE notifications DROP CONSTRAINT notifications_mail_check',
  `ALTER TABLE notifications ADD CONSTRAINT notifications_mail_check
     CHECK (mail IN ('none', 'waiting', 'digest', 'sent'))`,
  'DROP INDEX notifications_to_mail',
  `CREATE INDEX notifications_to_mail ON notifications (workspace_id, user_id, at) WHERE mail IN ('waiting', 'digest')`,
  `CREATE TABLE mail_windows (
     workspace_id integer NOT NULL,
     id text COLLATE "C" NOT NULL DEFAULT random_id(),
     user_id text COLLATE "C" NOT NULL,
     -- The task, or less than zero for what one request has assigned; null for the digest.
     thread bigint,
     opened_at timestamptz(3) NOT NULL DEFAULT service_now(),
     is_placed boolean NOT NULL DEFAULT false,
     due_at timestamptz(3) NOT NULL DEFAULT service_now(),
     tries integer NOT NULL DEFAULT 0,
     in_doubt bigint[],
     fence integer NOT NULL DEFAULT 0,
     lease_until timestamptz,
     PRIMARY KEY (workspace_id, id),
     FOREIGN KEY (workspace_id, user_id) REFERENCES users ON DELETE CASCADE
   )`,
  'CREATE UNIQUE INDEX mail_windows_thread ON mail_windows (workspace_id, user_id, thread) NULLS NOT DISTINCT',
  'CREATE INDEX mail_windows_due ON mail_windows (due_at)',
];

const dropped = [
  'DROP TABLE mail_windows',
  `UPDATE notifications SET mail = 'waiting' WHERE mail = 'digest'`,
  'DROP INDEX notifications_to_mail',
  `CREATE INDEX notifications_to_mail ON notifications (workspace_id, user_id, at) WHERE mail = 'waiting'`,
  'ALTER TABLE notifications DROP CONSTRAINT notifications_mail_check',
  `ALTER TABLE notifications ADD CONSTRAINT notifications_mail_check CHECK (mail IN ('none', 'waiting', 'sent'))`,
];

/** When what people were told of is mailed, if they have not read it by then. */
export class MailNotifications1795440000086 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // A table may be spread over several machines already: these take one command at a time.
    for (const command of made) await db.query(command);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const command of dropped) await db.query(command);
  }
}

import { type MigrationInterface, type QueryRunner } from 'typeorm';

const tables = [
  `CREATE TABLE notifications (
     workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
     user_id text COLLATE "C" NOT NULL,
     -- The place of the event: of one event nobody hears twice.
     event_place bigint NOT NULL,
     workflow_id integer NOT NULL,
     -- Null where one row stands for the many tasks that one request has assigned.
     task_id bigint,
     tasks integer NOT NULL DEFAULT 1 CHECK (tasks > 0),
     reason text COLLATE "C" NOT NULL CHECK (reason IN
       ('mentioned', 'assigned', 'approval', 'due', 'failed', 'watching')),
     actor json NOT NULL,
     request_id text COLLATE "C",
     at timestamptz(3) NOT NULL,
     read_at timestamptz(3),
     done_at timestamptz(3),
     snoozed_until timestamptz(3),
     mail text COLLATE "C" NOT NULL DEFAULT 'none' CHECK (mail IN ('none', 'waiting', 'sent')),
     mailed_at timestamptz(3),
     PRIMARY KEY (workspace_id, user_id, event_place),
     FOREIGN KEY (workspace_id, user_id) REFERENCES users ON DELETE CASCADE
   )`,
  `CREATE INDEX notifications_open ON notifications (workspace_id, user_id, at) WHERE done_at IS NULL`,
  `CREATE INDEX notifications_unread ON notifications (workspace_id, user_id, event_place)
     WHERE read_at IS NULL AND done_at IS NULL`,
  `CREATE INDEX notifications_of_task ON notifications (workspace_id, task_id, user_id)`,
  `CREATE INDEX notifications_of_request ON notifications (workspace_id, user_id, request_id)
     WHERE request_id IS NOT NULL`,
  `CREATE INDEX notifications_to_mail ON notifications (workspace_id, user_id, at) WHERE mail = 'waiting'`,
  `CREATE INDEX notifications_old ON notifications (at)`,
  `CREATE TABLE watchers (
     workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
     task_id bigint NOT NULL,
     user_id text COLLATE "C" NOT NULL,
     workflow_id integer NOT NULL,
     state text COLLATE "C" NOT NULL CHECK (state IN ('auto', 'on', 'muted')),
     PRIMARY KEY (workspace_id, task_id, user_id),
     FOREIGN KEY (workspace_id, user_id) REFERENCES users ON DELETE CASCADE
   )`,
  // What a person has chosen and what their last browser said; a mail server may have refused their address.
  `ALTER TABLE users ADD COLUMN notification_choices json NOT NULL DEFAULT '{}', ADD COLUMN time_zone text COLLATE "C",
     ADD COLUMN language text COLLATE "C", ADD COLUMN mail_refusals integer NOT NULL DEFAULT 0,
     ADD COLUMN undeliverable_at timestamptz(3)`,
  // The ids of users by the addresses that stand behind an @ in the text, in lower case.
  `ALTER TABLE comments ADD COLUMN mentions jsonb`,
];

const dropped = [
  'ALTER TABLE comments DROP COLUMN mentions',
  `ALTER TABLE users DROP COLUMN notification_choices, DROP COLUMN time_zone, DROP COLUMN language,
     DROP COLUMN mail_refusals, DROP COLUMN undeliverable_at`,
  'DROP TABLE watchers',
  'DROP TABLE notifications',
];

/** What people are told of, who watches which task, and what each person wants to hear of. */
export class CreateNotifications1795440000080 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // A table may be spread over several machines already: these take one command at a time.
    for (const command of tables) await db.query(command);
    await followFromNow(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DELETE FROM followers WHERE name = 'notifications'`);
    for (const command of dropped) await db.query(command);
  }
}

/** Of what happened before, nobody is told. */
async function followFromNow(db: QueryRunner): Promise<void> {
  const workspaces = (await db.query('SELECT id FROM workspaces ORDER BY id')) as { id: number }[];
  for (const { id } of workspaces)
    await db.query(
      `INSERT INTO followers (workspace_id, name, position)
       SELECT $1, 'notifications', n.last_position FROM number_events($1) n ON CONFLICT DO NOTHING`,
      [id],
    );
}

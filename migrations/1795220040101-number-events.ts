import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * The order of events in the feed of a workspace: numbers without a hole, given to committed events by whoever reads.
 * Who only writes has nothing to do with it.
 */
export class NumberEvents1795220040101 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- What was numbered: all that the snapshot saw. Transaction ids mean nothing in another cluster than the one that
      -- gave them, as after a restore.
      CREATE TABLE event_streams (
        workspace_id integer NOT NULL PRIMARY KEY,
        last_position bigint NOT NULL DEFAULT 0,
        seen text NOT NULL DEFAULT '1:1:',
        cluster text NOT NULL,
        dropped_to bigint NOT NULL DEFAULT 0,
        dropped_tag integer NOT NULL DEFAULT 0
      );

      -- Events by position: the last one has this position, those before it the ones before. The tag is random, so that
      -- a position in another line of history is known for one.
      CREATE TABLE event_chunks (
        workspace_id integer NOT NULL,
        last_position bigint NOT NULL,
        places bigint[] NOT NULL,
        tag integer NOT NULL,
        PRIMARY KEY (workspace_id, last_position)
      );
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP FUNCTION IF EXISTS number_events; DROP TABLE event_chunks, event_streams');
  }
}

import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Links between tasks. Each link repeats the kind of the relationship, so that unique indexes can enforce it. */
export class CreateLinks1795219200004 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE links (
        workspace_id integer NOT NULL,
        relationship_id text COLLATE "C" NOT NULL,
        kind text NOT NULL,
        from_workflow_id integer NOT NULL,
        from_id bigint NOT NULL,
        to_workflow_id integer NOT NULL,
        to_id bigint NOT NULL,
        PRIMARY KEY (workspace_id, from_id, relationship_id, to_id),
        CONSTRAINT links_not_to_itself CHECK (from_id <> to_id),
        FOREIGN KEY (workspace_id, from_workflow_id, from_id) REFERENCES tasks (workspace_id, workflow_id, id) ON DELETE CASCADE,
        FOREIGN KEY (workspace_id, relationship_id, kind, from_workflow_id, to_workflow_id) REFERENCES relationships (workspace_id, id, kind, from_workflow_id, to_workflow_id) ON UPDATE CASCADE,
        FOREIGN KEY (workspace_id, to_workflow_id, to_id) REFERENCES tasks (workspace_id, workflow_id, id) ON DELETE CASCADE
      );
      CREATE UNIQUE INDEX links_single_from
        ON links (workspace_id, from_id, relationship_id) WHERE kind IN ('one_to_one', 'many_to_one');
      CREATE UNIQUE INDEX links_single_to
        ON links (workspace_id, to_id, relationship_id) WHERE kind IN ('one_to_one', 'one_to_many');
      CREATE INDEX links_to ON links (workspace_id, to_id, relationship_id, from_id);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE links;
      DROP FUNCTION IF EXISTS linked_now, seen_linked_tasks;
    `);
  }
}

import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Checklists of tasks. */
export class CreateChecklists1795219200006 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- The wide columns come first to save padding, because a task may have many items.
      CREATE TABLE checklist_items (
        task_id bigint NOT NULL,
        place bigint GENERATED ALWAYS AS IDENTITY,
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        stage_id integer NOT NULL,
        is_editable boolean NOT NULL,
        status text NOT NULL DEFAULT 'Blank' CHECK (status IN ('Blank', 'Skipped', 'Completed')),
        id text COLLATE "C" NOT NULL DEFAULT random_id(),
        title text NOT NULL,
        assignee_id text COLLATE "C",
        PRIMARY KEY (workspace_id, workflow_id, task_id, place),
        FOREIGN KEY (workspace_id, assignee_id) REFERENCES users (workspace_id, id),
        FOREIGN KEY (workspace_id, workflow_id, stage_id) REFERENCES stages (workspace_id, workflow_id, id),
        FOREIGN KEY (workspace_id, workflow_id, task_id) REFERENCES tasks (workspace_id, workflow_id, id) ON DELETE CASCADE
      );
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE checklist_items;
    `);
  }
}

import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Checklists of tasks. */
export class CreateChecklists1795219200006 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE checklist_items (
        workspace_id integer NOT NULL,
        id text COLLATE "C" NOT NULL DEFAULT random_id(),
        workflow_id integer NOT NULL,
        task_id bigint NOT NULL,
        place bigint GENERATED ALWAYS AS IDENTITY,
        title text NOT NULL,
        stage_id integer NOT NULL,
        status text NOT NULL DEFAULT 'Blank' CHECK (status IN ('Blank', 'Skipped', 'Completed')),
        assignee_id text COLLATE "C",
        is_editable boolean NOT NULL,
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

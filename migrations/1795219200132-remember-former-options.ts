import { createFunctions } from '../src/database/functions.js';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Options that a field no longer has are remembered, for tasks may hold them still and are looked for by them. */
export class RememberFormerOptions1795219200132 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE fields ADD COLUMN former_options text[] NOT NULL DEFAULT '{}';

      UPDATE fields f SET former_options = held.options FROM (
        SELECT f.workspace_id, f.id, array_agg(DISTINCT option) AS options
        FROM fields f
        JOIN tasks t ON t.workspace_id = f.workspace_id AND t.workflow_id = f.workflow_id AND t.field_values ? f.id
        CROSS JOIN LATERAL jsonb_array_elements_text(
          CASE f.type WHEN 'multipleSelect' THEN t.field_values -> f.id ELSE jsonb_build_array(t.field_values -> f.id) END
        ) option
        WHERE f.type IN ('singleSelect', 'multipleSelect') AND NOT (f.settings::jsonb -> 'options') ? option
        GROUP BY f.workspace_id, f.id
      ) held
      WHERE f.workspace_id = held.workspace_id AND f.id = held.id;
    `);
    await createFunctions(db, 'remember_former_options');
    await db.query(`
      CREATE TRIGGER remember_former_options BEFORE UPDATE OF type, settings ON fields
        FOR EACH ROW EXECUTE FUNCTION remember_former_options();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TRIGGER remember_former_options ON fields;
      DROP FUNCTION remember_former_options;
      ALTER TABLE fields DROP COLUMN former_options;
    `);
  }
}

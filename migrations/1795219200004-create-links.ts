import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Links between tasks, and how they are read along with the tasks at their other end. */
export class CreateLinks1795219200004 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // The kind is repeated in each link, so that an index can keep the single sides single.
    await db.query(`
      ALTER TABLE relationships ADD CONSTRAINT relationships_kind
        UNIQUE (workspace_id, id, kind, from_workflow_id, to_workflow_id);

      CREATE TABLE links (
        workspace_id integer NOT NULL,
        relationship_id text COLLATE "C" NOT NULL,
        kind text NOT NULL,
        from_workflow_id integer NOT NULL,
        from_id bigint NOT NULL,
        to_workflow_id integer NOT NULL,
        to_id bigint NOT NULL,
        PRIMARY KEY (workspace_id, from_id, relationship_id, to_id),
        FOREIGN KEY (workspace_id, relationship_id, kind, from_workflow_id, to_workflow_id)
          REFERENCES relationships (workspace_id, id, kind, from_workflow_id, to_workflow_id) ON UPDATE CASCADE,
        FOREIGN KEY (workspace_id, from_workflow_id, from_id) REFERENCES tasks ON DELETE CASCADE,
        FOREIGN KEY (workspace_id, to_workflow_id, to_id) REFERENCES tasks ON DELETE CASCADE,
        CONSTRAINT links_not_to_itself CHECK (from_id <> to_id)
      );
      CREATE INDEX links_to ON links (workspace_id, to_id, relationship_id, from_id);
      CREATE UNIQUE INDEX links_single_from ON links (workspace_id, from_id, relationship_id)
        WHERE kind IN ('one_to_one', 'many_to_one');
      CREATE UNIQUE INDEX links_single_to ON links (workspace_id, to_id, relationship_id)
        WHERE kind IN ('one_to_one', 'one_to_many');
    `);
    // One row for each of these tasks: its linked tasks in one array, in the order of their creation, each behind the
    // key of the task's side of the relationship ('>' where the task stands at "from"). NULL in place of the array of
    // a task behind 5,000 links or 2 MB of values, and of one that alone has more.
    await db.query(`
      CREATE FUNCTION linked_tasks(workspace integer, tasks bigint[]) RETURNS TABLE (task bigint, linked json)
      LANGUAGE plpgsql STABLE AS $$
      BEGIN
        RETURN QUERY
        WITH near AS MATERIALIZED (
          SELECT n.id, n.place, c.links, sum(c.links) OVER (ORDER BY n.place) - c.links AS preceding
          FROM unnest(tasks) WITH ORDINALITY n (id, place)
          CROSS JOIN LATERAL (
            SELECT count(*) AS links FROM (
              SELECT FROM links l WHERE l.workspace_id = workspace AND l.from_id = n.id
              UNION ALL
              SELECT FROM links l WHERE l.workspace_id = workspace AND l.to_id = n.id
              LIMIT 5001
            ) l
          ) c
        ), far AS (
          SELECT n.place, l.side, o.*,
            sum(pg_column_size(o.field_values)) OVER (ORDER BY n.place, o.id, l.side) AS bytes
          FROM near n
          CROSS JOIN LATERAL (
            SELECT '>' || l.relationship_id AS side, l.to_workflow_id AS workflow_id, l.to_id AS id
            FROM links l WHERE l.workspace_id = workspace AND l.from_id = n.id
            UNION ALL
            SELECT '<' || l.relationship_id, l.from_workflow_id, l.from_id
            FROM links l WHERE l.workspace_id = workspace AND l.to_id = n.id
          ) l
          JOIN tasks o ON o.workspace_id = workspace AND o.workflow_id = l.workflow_id AND o.id = l.id
          WHERE n.links <= 5000 AND n.preceding < 5000
        )
        SELECT n.id, CASE
          WHEN n.links = 0 THEN '[]'::json
          WHEN n.links = count(f.id) AND max(f.bytes) <= 2000000 THEN json_agg(
            json_build_array(
              f.side, f.public_id, f.unique_value, f.stage_id, f.assignee_id, f.version, f.field_values
            ) ORDER BY f.id
          ) FILTER (WHERE f.bytes <= 2000000)
        END
        FROM near n LEFT JOIN far f ON f.place = n.place
        GROUP BY n.id, n.links;
      END $$;
    `);
    // Reads by a snapshot of its own: in the statement that has just locked a task, what is linked to it now.
    await db.query(`
      CREATE FUNCTION linked_now(workspace integer, task bigint) RETURNS json
      LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        RETURN (SELECT t.linked FROM linked_tasks(workspace, ARRAY[task]) t);
      END $$;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP FUNCTION linked_now, linked_tasks;
      DROP TABLE links;
      ALTER TABLE relationships DROP CONSTRAINT relationships_kind;
    `);
  }
}

import fc from 'fast-check';
import { type TestService } from '../../support/service.js';

/** Workflows whose tasks are written in different ways: with all that a task may have, numbered, and with little. */
export const definition = (workspace: string): string => `
workspace: { id: ${workspace}, name: Law }
users: [{ email: mina@acme.test }]
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done, end: true, change: [Must, Stage, Parts] }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Must, type: text, required: true }
      - { name: Once, type: text, editable: false }
      - { name: Given, type: number, default: 7 }
      - { name: Tier, type: singleSelect, options: [Gold, Silver] }
      - { name: Docs, type: file }
    checklist: [{ title: Look, stage: New }, { title: Sign, stage: Done }]
  - id: numbered
    name: Numbered
    stages: [{ name: New }]
    fields:
      - { name: ID, type: uniqueId, autoincrement: true }
      - { name: Must, type: text, required: true }
  - id: loose
    name: Loose
    stages: [{ name: New }, { name: Done }]
    fields:
      - { name: ID, type: uniqueId }
      - { name: Must, type: text, required: true }
      - { name: Given, type: number }
  - id: parts
    name: Parts
    stages: [{ name: New }]
    fields: [{ name: Part ID, type: uniqueId, required: true }]
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: things, name: Parts }, to: { workflow: parts, name: Thing } }
`;

/** Mostly the usual, or nothing would ever be there to change. */
export const often = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 8 }, fc.constantFrom(...others));

/** All tasks of a workspace with what is theirs, in the order of creation or of their Unique IDs. */
export const storedTasks = (
  { dataSource }: TestService,
  workspace: string,
  order: 'id' | 'unique_value',
): Promise<unknown[]> =>
  dataSource.query(
    `SELECT f.slug, t.unique_value, t.version, s.name AS stage, t.is_active, u.email,
       (SELECT jsonb_object_agg(d.name, t.field_values -> d.id) FROM fields d
        WHERE d.workspace_id = w.id AND t.field_values ? d.id) AS values,
       (SELECT jsonb_agg(i.title ORDER BY i.place) FROM checklist_items i WHERE i.workspace_id = w.id AND i.task_id = t.id) AS items,
       (SELECT jsonb_agg(o.unique_value ORDER BY o.unique_value) FROM links l JOIN tasks o ON o.id = l.to_id
        WHERE l.workspace_id = w.id AND l.from_id = t.id) AS links
     FROM tasks t JOIN workspaces w ON w.id = t.workspace_id
     JOIN workflows f ON f.workspace_id = w.id AND f.id = t.workflow_id
     JOIN stages s ON s.workspace_id = w.id AND s.id = t.stage_id
     LEFT JOIN users u ON u.workspace_id = w.id AND u.id = t.assignee_id
     WHERE w.slug = $1 ORDER BY f.slug, t.${order}`,
    [workspace],
  );

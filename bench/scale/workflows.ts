import type pg from 'pg';
import { fillWorkflow, withoutIndexes } from '../fill.js';
import { stage, assignee, fields, scaleValues, stages, createdAt, updatedAt } from './tasks.js';

export interface ScaleWorkflow {
  readonly id: string;
  readonly tasks: number;
}

/** 20 workflows, the first of which has half of all tasks. */
export function scaleWorkflows(tasks: number): ScaleWorkflow[] {
  return perMille.map((share, index) => ({
    id: `w${index + 1}`,
    tasks: Math.max(1, Math.round((tasks * share) / 1000)),
  }));
}

const perMille = [...[500, 180, 90, 60, 40, 30, 20, 16, 13, 11], ...[9, 7.5, 6, 5, 4, 3, 2.5, 2, 0.7, 0.3]];

export function scaleDefinition(workflows: readonly ScaleWorkflow[], isIndexed: boolean): string {
  const all = fields(isIndexed ? ', index: true' : '');
  return `
workspace: { id: bench, name: Bench }
users:
${Array.from({ length: 20 }, (_, n) => `  - { email: user${n}@bench.test }`).join('\n')}
workflows:
${workflows.map(({ id }) => `  - { id: ${id}, name: Workflow ${id}${isIndexed ? ', search: true' : ''}, stages: ${stages}, fields: ${all} }`).join('\n')}
`;
}

/** Fills all workflows at once, so that their tasks lie mixed on the disk, as they would in use. */
export async function fillWorkflows(db: pg.Client, workflows: readonly ScaleWorkflow[]): Promise<void> {
  await withoutIndexes(db, async () => {
    for (let slice = 0; slice < slices; slice++) {
      for (const { id, tasks } of workflows) {
        const [from, to] = [
          Math.floor((tasks * slice) / slices) + 1,
          Math.floor((tasks * (slice + 1)) / slices),
        ];
        const sql = { values: scaleValues(tasks), uniqueId: `'T-' || i`, stage, assignee };
        const times = { createdAt: createdAt(tasks), updatedAt: updatedAt(tasks) };
        await fillWorkflow(db, { workflow: id, from, to, ...sql, ...times });
      }
    }
  });
}

const slices = 50;

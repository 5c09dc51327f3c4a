import { Command } from 'commander';
import { type EntityManager } from 'typeorm';
import { confirm } from './confirm.js';
import { type Counts, countTasks, type OnProgress } from './erase-tasks.js';
import { print } from './print.js';
import { outOf, progressBar } from './progress-bar.js';
import { withDatabase } from './with-database.js';
import { workspaceNamed } from './workspace-named.js';

/** Deletes some of a workspace, and says how many rows of what. */
export type Erase = (db: EntityManager, slug: string, onProgress: OnProgress) => Promise<Counts>;

/** `wts workspace reset` and `wts workspace delete`: says what it would delete, asks, does it, and says what it did. */
export function eraseCommand(name: 'reset' | 'delete', description: string, erase: Erase): Command {
  return new Command(name)
    .argument('<id>', 'the workspace')
    .description(description)
    .option('--yes', 'do it without being asked')
    .action(async (id: string, options: { readonly yes?: true }) =>
      withDatabase(async (db) => {
        const counts = await db.transaction(async (tx) => countTasks(tx, (await workspaceNamed(tx, id)).id));
        const all = summary(counts);
        const what = name === 'reset' ? `${all} of the workspace ${id}` : `the workspace ${id} with ${all}`;
        const question = `This deletes ${what} for good.`;
        if (!(await confirm(question, options))) {
          print('nothing was deleted');
          return;
        }
        const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
        const bar = progressBar();
        const onProgress = (done: number): void => {
          bar.show(done / total, outOf(done, total, 'rows'));
        };
        const deleted = await erase(db, id, onProgress).finally(bar.clear);
        print(`${name === 'reset' ? 'reset' : 'deleted'} workspace ${id}: ${summary(deleted)} deleted`);
      }),
    );
}

/** Such as `12 tasks, 1 comment`; what there is none of is left out, but for tasks. */
function summary(counts: Counts): string {
  const shown = named.map(([table, one, many]) => ({ count: counts.get(table) ?? 0, one, many, table }));
  return shown
    .filter(({ table, count }) => table === 'tasks' || count > 0)
    .map(({ count, one, many }) => `${count} ${count === 1 ? one : many}`)
    .join(', ');
}

const named = [
  ['tasks', 'task', 'tasks'],
  ['executions', 'execution', 'executions'],
  ['comments', 'comment', 'comments'],
  ['checklist_items', 'checklist item', 'checklist items'],
  ['links', 'link', 'links'],
  ['files', 'file', 'files'],
  ['workflows', 'workflow', 'workflows'],
  ['users', 'user', 'users'],
  ['api_keys', 'key', 'keys'],
] as const;

import { Command, InvalidArgumentError } from 'commander';
import { type EntityManager } from 'typeorm';
import { TaskEntity } from '../entities/task.entity.js';
import { forgetTask } from '../events/events.repository.js';
import { confirm, print } from './terminal.js';
import { withDatabase, workspaceNamed } from './with-database.js';

/** `wts task forget` */
export function forgetTaskCommand(): Command {
  const task = new Command('task').description('erase the events of a task');
  task
    .command('forget')
    .description('erase the events of a deleted task, as a law may require')
    .argument('<id>', 'the id of the task: the last part of its Task URL', parseId)
    .requiredOption('--workspace <id>', 'the workspace')
    .option('--yes', 'do not ask for confirmation')
    .action(forget);
  return task;
}

function parseId(text: string): string {
  if (/^[\w-]{8,64}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the last part of a Task URL.');
}

async function forget(
  publicId: string,
  { workspace, ...options }: { readonly workspace: string; readonly yes?: true },
): Promise<void> {
  await withDatabase(async (db) => {
    const { id } = await db.transaction((tx) => workspaceNamed(tx, workspace));
    if (await isThere(db, id, publicId))
      throw new Error('The task still exists, and its history shows its events. Delete it first.');
    if (!(await confirm(`This erases all events of the task ${publicId} for good.`, options))) {
      print('nothing was erased');
      return;
    }
    print(`erased ${await forgetTask(db, id, publicId)} events of the task ${publicId}`);
  });
}

function isThere(db: EntityManager, workspaceId: number, publicId: string): Promise<boolean> {
  return db.existsBy(TaskEntity, { workspaceId, publicId });
}

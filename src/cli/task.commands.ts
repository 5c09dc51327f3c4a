import { Command, InvalidArgumentError, Option } from 'commander';
import { TaskEntity } from '../tasks/store/task.entity.js';
import { forgetTask } from '../events/events.repository.js';
import { type ExportTasksOptions, type ImportOptions } from './task-files.js';
import { confirm, print } from './terminal.js';
import { withDatabase, workspaceNamed } from './with-database.js';

export function taskCommands(): Command[] {
  const task = new Command('task').description('erase the events of a task');
  task
    .command('forget')
    .description('erase the events of a deleted task, as a law may require')
    .argument('<id>', 'the id of the task: the last part of its Task URL', parseId)
    .requiredOption('--workspace <id>', 'the workspace')
    .option('--yes', 'do not ask for confirmation')
    // Allows ids that begin with a hyphen. An unknown option counts as a second id, which is refused.
    .allowUnknownOption()
    .action(forget);
  return [importCommand(), exportCommand(), task];
}

function importCommand(): Command {
  return new Command('import')
    .description('create or update a task for each row of a file, as a POST does; refused rows are skipped')
    .argument('<file>', 'a .csv file whose first row names the fields, or lines of JSON')
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--workflow <id>', 'the workflow')
    .option('--force', 'also write stages, fields and relationships that only actions may change')
    .addOption(
      new Option(
        '--rules <rules>',
        'run: the rows start rules; skip: they start no rules and notify nobody',
      ).choices(['run', 'skip']),
    )
    .action(async (file: string, options: ImportOptions) => {
      // Loads Nest on demand, because most commands do not need it.
      const { importTasks } = await import('./task-files.js');
      await importTasks(file, options);
    });
}

function exportCommand(): Command {
  return new Command('export-tasks')
    .description('write all tasks of a workflow to standard output')
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--workflow <id>', 'the workflow')
    .addOption(
      new Option('--format <format>', 'lines of JSON, or CSV').choices(['ndjson', 'csv']).default('ndjson'),
    )
    .option('--no-links', 'omit links')
    .action(async (options: ExportTasksOptions) => {
      const { writeTasks } = await import('./task-files.js');
      await writeTasks(options);
    });
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
    const { id: workspaceId } = await db.transaction((tx) => workspaceNamed(tx, workspace));
    if (await db.existsBy(TaskEntity, { workspaceId, publicId }))
      throw new Error('The task still exists, and its history shows its events. Delete it first.');
    if (await confirm(`This erases all events of the task ${publicId} for good.`, options))
      print(`erased ${await forgetTask(db, workspaceId, publicId)} events of the task ${publicId}`);
    else print('nothing was erased');
  });
}

import { Command, InvalidArgumentError, Option } from 'commander';
import { type ExportTasksOptions, type ImportOptions } from './task-files.js';

/** `wts import` and `wts export-tasks` */
export function taskCommands(): Command[] {
  return [
    new Command('import')
      .description('create or update the tasks of a file, each row as by a POST; refused rows are left out')
      .argument('<file>', 'a .csv file whose first row names the fields, or lines of JSON')
      .requiredOption('--workspace <id>', 'the workspace')
      .requiredOption('--workflow <id>', 'the workflow')
      .option('--from-row <row>', 'begin with this row, after an import that stopped midway', rowNumber)
      .option('--rejects <file>', 'where to write the rows that are refused, with the reasons')
      .option('--raw', 'take cells of CSV as they are, including an apostrophe before a formula')
      .option('--force', 'also write stages, fields and relationships that only actions may change')
      .addOption(
        new Option(
          '--rules <rules>',
          'run: the rules of the workflow follow the rows; skip: no rule does, and nobody is notified',
        ).choices(['run', 'skip']),
      )
      .addOption(new Option('--force-stages').implies({ force: true }).hideHelp())
      .action(importFile),
    new Command('export-tasks')
      .description('write all tasks of a workflow to standard output')
      .requiredOption('--workspace <id>', 'the workspace')
      .requiredOption('--workflow <id>', 'the workflow')
      .addOption(
        new Option('--format <format>', 'lines of JSON, or CSV').choices(['ndjson', 'csv']).default('ndjson'),
      )
      .option('--no-links', 'omit links')
      .option('--bom', 'begin CSV with a byte order mark, by which spreadsheets know UTF-8')
      .option('--raw', 'write texts as they are, even if a spreadsheet would run them as formulas')
      .action(writeAll),
  ];
}

function rowNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1.');
  return Number(text);
}

// Loaded late because it loads Nest, which no other command needs.

async function importFile(file: string, options: ImportOptions): Promise<void> {
  const { importTasks } = await import('./task-files.js');
  await importTasks(file, options);
}

async function writeAll(options: ExportTasksOptions): Promise<void> {
  const { writeTasks } = await import('./task-files.js');
  await writeTasks(options);
}

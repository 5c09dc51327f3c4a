import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { callerFolder } from '../config.js';
import { applyDefinition } from '../definitions/apply-definition.js';
import { checkDefinition } from '../definitions/check-definition.js';
import { renderChange } from '../definitions/change.js';
import { readDefinition, type SourceDefinition } from '../definitions/read-definition.js';
import { print } from './print.js';
import { withDatabase } from './with-database.js';

/** `wts validate` and `wts apply` */
export function definitionCommands(): Command[] {
  return [
    new Command('validate')
      .description('check a definition file on its own, without a database')
      .argument('<file>', 'a YAML or JSON file')
      .action(validate),
    new Command('apply')
      .description('make a workspace what the file says, in one transaction; what it does not name stays')
      .argument('<file>', 'a YAML or JSON file')
      .action(apply),
  ];
}

async function validate(file: string): Promise<void> {
  const source = await read(file);
  checkDefinition(source.definition, source);
  print(`${file} is valid`);
}

async function apply(file: string): Promise<void> {
  const source = await read(file);
  const changes = await withDatabase((db) => applyDefinition(db.dataSource, source));
  for (const change of changes) print(renderChange(change));
  const { id } = source.definition.workspace;
  print(changes.length === 0 ? `no changes: workspace ${id} is up to date` : `applied to workspace ${id}`);
}

async function read(file: string): Promise<SourceDefinition> {
  const bytes = await readFile(resolve(callerFolder(), file)).catch((error: unknown) => {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  return readDefinition(decode(bytes, file), file);
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file} is not a text in UTF-8`);
  }
}

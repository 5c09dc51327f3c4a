import { Command } from 'commander';
import { applyDefinition } from '../definitions/apply-definition.js';
import { checkDefinition } from '../definitions/check-definition.js';
import { renderChange } from '../definitions/change.js';
import { print } from './print.js';
import { readDefinitionFile } from './read-definition-file.js';
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
  const source = await readDefinitionFile(file);
  checkDefinition(source.definition, source);
  print(`${file} is valid`);
}

async function apply(file: string): Promise<void> {
  const source = await readDefinitionFile(file);
  const changes = await withDatabase((db) => applyDefinition(db.dataSource, source));
  for (const change of changes) print(renderChange(change));
  const { id } = source.definition.workspace;
  print(changes.length === 0 ? `no changes: workspace ${id} is up to date` : `applied to workspace ${id}`);
}

import { Command } from 'commander';
import { type EntityManager } from 'typeorm';
import { exportDefinition } from '../definitions/export-definition.js';
import { renderYaml } from '../definitions/render-yaml.js';
import { storedDefinition } from '../definitions/stored-definition.js';
import { loadWorkspaceRows } from '../definitions/workspace-rows.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { documentFor } from './print.js';
import { withDatabase } from './with-database.js';

/** `wts export` */
export function exportCommand(): Command {
  return new Command('export')
    .description('print the definition of a workspace as YAML that `apply` and `validate` read')
    .argument('<workspace>', 'its id, as `workspace list` shows it')
    .option('--json', 'print it as JSON')
    .action(exportWorkspace);
}

async function exportWorkspace(slug: string, { json = false }: { json?: boolean }): Promise<void> {
  const rows = await withDatabase((db) =>
    // One snapshot, whatever is applied meanwhile.
    db.transaction('REPEATABLE READ', (snapshot) => findRows(snapshot, slug)),
  );
  if (!rows) throw new Error(`There is no workspace "${slug}". See: wts workspace list`);
  const document = exportDefinition(storedDefinition(rows));
  const text = json ? JSON.stringify(document, null, 2) : renderYaml(document);
  process.stdout.write(`${documentFor(process.stdout, text.trimEnd())}\n`);
}

async function findRows(db: EntityManager, slug: string): ReturnType<typeof loadWorkspaceRows> {
  const workspace = await db.findOneBy(WorkspaceEntity, { slug });
  return workspace ? loadWorkspaceRows(db, workspace.id) : undefined;
}

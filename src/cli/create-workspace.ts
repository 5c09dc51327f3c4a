import { Command, InvalidArgumentError } from 'commander';
import { type EntityManager } from 'typeorm';
import { createApiKey } from '../access/api-keys.js';
import { applyWithin } from '../definitions/apply-definition.js';
import { type SourceDefinition } from '../definitions/read-definition.js';
import { print } from './print.js';
import { readSource } from './read-source.js';
import { withDatabase } from './with-database.js';

/** `wts workspace create` */
export function createCommand(): Command {
  return new Command('create')
    .description('make a new workspace by a definition, and print its first key; it is shown this once')
    .argument('<id>', 'the id of the workspace, whatever the definition calls it', parseId)
    .requiredOption('--definition <file>', 'a YAML or JSON file')
    .action(async (id: string, { definition }: { readonly definition: string }) => {
      const { source } = await readSource(definition);
      source.definition.workspace.id = id;
      print(await withDatabase((db) => db.transaction((tx) => createWorkspace(tx, source))));
    });
}

/** Makes the workspace that the definition describes, and a key for it; throws when there is one of this id. */
export async function createWorkspace(tx: EntityManager, source: SourceDefinition): Promise<string> {
  const { id: slug } = source.definition.workspace;
  const text = 'INSERT INTO workspaces (slug, name) VALUES ($1, $1) ON CONFLICT DO NOTHING RETURNING id';
  const [made] = await tx.query<{ id: number }[]>(text, [slug]);
  if (!made) throw new Error(`There is a workspace "${slug}" already; "wts apply" changes it.`);
  await applyWithin(tx, source);
  return createApiKey(tx, { workspaceId: made.id, name: 'first key', scope: 'write', expiresAt: null });
}

function parseId(text: string): string {
  if (!/^[a-z0-9-]{1,100}$/.test(text))
    throw new InvalidArgumentError('It must be lower-case letters, digits and hyphens.');
  return text;
}

import { Command, InvalidArgumentError, Option } from 'commander';
import {
  type ListedKey,
  createApiKey,
  isKeyName,
  isPast,
  listApiKeys,
  revokeApiKey,
} from '../access/api-keys.js';
import { type KeyScope, keyScopes } from '../common/column-values.js';
import { styled, print, printTable, parseExpiry } from './terminal.js';
import { toNfc } from '../../packages/exact-json/nfc.js';
import { readNarrowing, type WantedNarrowing } from '../access/narrow-key.js';
import { english, ofField } from '../common/message.js';
import { FieldErrors } from '../common/field-errors.js';
import { withDatabase, withWorkspace } from './with-database.js';

export function keyCommands(): Command {
  const key = new Command('key').description('API keys of a workspace');
  key
    .command('create')
    .description('create a key and print it; it is shown only once')
    .requiredOption('--workspace <id>', 'the workspace of the key')
    .requiredOption('--name <name>', 'what the key is for', parseName)
    .addOption(new Option('--scope <scope>', 'what the key may do').choices([...keyScopes]).default('write'))
    .option('--expires <when>', 'a span such as 90d or 12h, or a day such as 2027-01-31', parseExpiry)
    .option('--workflows <ids>', 'the workflows that the key can see, separated by commas; default: all')
    .option('--actions <ids>', 'the actions that the key may start; default: all')
    .option(
      '--fields <names>',
      'the fields that the key may write; Stage and Assigned To count as fields; default: all',
    )
    .option('--creates', 'the key can only create tasks, not read or change them')
    .option('--as <email>', 'the user as whom the key acts, with the roles of that user')
    .action(create);
  key.command('list').description('show all keys, without their secret texts').action(list);
  key.command('revoke <id>').description('revoke a key for good').action(revoke);
  return key;
}

interface CreateOptions extends WantedNarrowing {
  readonly workspace: string;
  readonly name: string;
  readonly scope: KeyScope;
  readonly expires?: Date;
}

async function create({ workspace, name, scope, expires, ...rest }: CreateOptions): Promise<void> {
  const key = await withWorkspace(workspace, async (tx, workspaceId) => {
    const errors = new FieldErrors();
    const narrowed = await readNarrowing(tx, { workspaceId, scope }, rest, errors);
    const faults = errors.fields.flatMap(([name, said]) =>
      said.map((each) => english(ofField(`--${name}`, each))),
    );
    if (faults.length > 0) throw new Error(faults.join('\n'));
    return createApiKey(tx, { workspaceId, name, scope, expiresAt: expires ?? null, ...narrowed });
  });
  print(key);
}

async function list(): Promise<void> {
  const keys = await withDatabase(listApiKeys);
  const rows = keys.map((key) => [
    key.id,
    key.workspace,
    key.name,
    mayDo(key),
    stateOf(key),
    key.lastUsedOn ?? 'never',
  ]);
  printTable(['ID', 'WORKSPACE', 'NAME', 'SCOPE', 'STATE', 'LAST USED'], rows);
}

function mayDo({ scope, narrowing, user }: ListedKey): string {
  const { workflows, actions, fields } = narrowing ?? {};
  const lists = Object.entries({ workflows, actions, fields }).flatMap(([what, names]) =>
    names ? [`${what}: ${names.join(', ')}`] : [],
  );
  return [
    scope,
    ...(narrowing?.creates ? ['only creates'] : []),
    ...lists,
    ...(user ? [`as ${user.email}`] : []),
  ].join('; ');
}

function stateOf({ expiresAt, revokedAt, user }: ListedKey): string {
  if (revokedAt) return styled('dim', `revoked ${day(revokedAt)}`);
  if (user?.active === false) return styled('dim', 'user deactivated');
  if (!expiresAt) return 'in force';
  return isPast(expiresAt) ? styled('dim', `ended ${day(expiresAt)}`) : `until ${day(expiresAt)}`;
}

async function revoke(id: string): Promise<void> {
  const isRevoked = await withDatabase((db) => revokeApiKey(db, id));
  if (!isRevoked) throw new Error(`There is no key "${id}" in force. See: wts key list`);
  print(`revoked ${id}`);
}

const day = (date: Date): string => date.toISOString().slice(0, 10);

function parseName(text: string): string {
  if (!isKeyName(text)) throw new InvalidArgumentError('It must be 1 to 100 characters on one line.');
  return toNfc(text);
}

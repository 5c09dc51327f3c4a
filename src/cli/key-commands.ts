import { Command, InvalidArgumentError, Option } from 'commander';
import { createApiKey, listApiKeys, revokeApiKey } from '../access/api-keys.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { isCalendarDay } from '../schema/calendar.js';
import { print, printTable } from './print.js';
import { withDatabase } from './with-database.js';

/** `wts key …` */
export function keyCommands(): Command {
  const key = new Command('key').description('API keys of a workspace');
  key
    .command('create')
    .description('make a key and print it; it is shown this once')
    .requiredOption('--workspace <id>', 'the workspace it opens')
    .requiredOption('--name <name>', 'what it is for', parseName)
    .addOption(new Option('--scope <scope>', 'what it may do').choices(['read', 'write']).default('write'))
    .option('--expires <when>', 'a span such as 90d or 12h, or a day such as 2027-01-31', parseExpiry)
    .action(create);
  key.command('list').description('show every key, but never the key itself').action(list);
  key.command('revoke <id>').description('end a key for good').action(revoke);
  return key;
}

interface CreateOptions {
  readonly workspace: string;
  readonly name: string;
  readonly scope: 'read' | 'write';
  readonly expires?: Date;
}

async function create({ workspace: slug, name, scope, expires }: CreateOptions): Promise<void> {
  const key = await withDatabase(async (db) => {
    const workspace = await db.findOneBy(WorkspaceEntity, { slug });
    if (!workspace) throw new Error(`There is no workspace "${slug}". See: wts workspace list`);
    return createApiKey(db, { workspaceId: workspace.id, name, scope, expiresAt: expires ?? null });
  });
  print(key);
}

async function list(): Promise<void> {
  const keys = await withDatabase(listApiKeys);
  const rows = keys.map(({ id, workspace, name, scope, expiresAt, lastUsedOn, revokedAt }) => [
    id,
    workspace,
    name,
    scope,
    revokedAt ? `revoked ${day(revokedAt)}` : expiresAt ? `until ${day(expiresAt)}` : 'in force',
    lastUsedOn ?? 'never',
  ]);
  printTable(['ID', 'WORKSPACE', 'NAME', 'SCOPE', 'STATE', 'LAST USED'], rows);
}

async function revoke(id: string): Promise<void> {
  const isRevoked = await withDatabase((db) => revokeApiKey(db, id));
  if (!isRevoked) throw new Error(`There is no key "${id}" in force. See: wts key list`);
  print(`revoked ${id}`);
}

const day = (date: Date): string => date.toISOString().slice(0, 10);

const spans: ReadonlyMap<string, number> = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
]);

function parseName(text: string): string {
  if (!/^[^\p{Cc}]{1,100}$/u.test(text) || text.trim() !== text)
    throw new InvalidArgumentError('It must be 1 to 100 characters on one line.');
  return text;
}

function parseExpiry(text: string): Date {
  const [, count, unit] = /^(\d{1,6})([dhm])$/.exec(text) ?? [];
  const span = Number(count) * (spans.get(unit ?? '') ?? NaN);
  const expiry = new Date(isCalendarDay(text) ? text : Date.now() + span);
  if (!(expiry.getTime() > Date.now()))
    throw new InvalidArgumentError('It must be a span or a day in the future.');
  return expiry;
}

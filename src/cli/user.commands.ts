import { Command } from 'commander';
import { type EntityManager } from 'typeorm';
import { toNfc } from '../../packages/exact-json/nfc.js';
import { createSignInLink } from '../access/sessions.js';
import { readConfig } from '../config.js';
import { applyWithin } from '../workflows/definition/apply-definition.js';
import { DefinitionFaults } from '../workflows/definition/source/faults.js';
import { readDefinition } from '../workflows/definition/source/read-definition.js';
import { UserEntity } from '../workflows/model/entities/user.entity.js';
import { WorkspaceEntity } from '../workflows/model/entities/workspace.entity.js';
import { publicAddress } from '../common/public-address.js';
import { styled, print, printTable } from './terminal.js';
import { noWorkspace, withDatabase, withWorkspace, workspaceNamed } from './with-database.js';

export function userCommands(): Command {
  const user = new Command('user').description('users of a workspace');
  user
    .command('add')
    .description('add a user, or reactivate one; names that are not given stay')
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--email <e-mail>', 'the e-mail of the user')
    .option('--first-name <name>')
    .option('--last-name <name>')
    .action(add);
  user
    .command('deactivate')
    .description('deactivate a user; tasks and comments keep the name')
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--email <e-mail>', 'the e-mail of the user')
    .action(deactivate);
  user
    .command('list')
    .description('show the users of a workspace')
    .requiredOption('--workspace <id>', 'the workspace')
    .action(list);
  user
    .command('link')
    .argument('<e-mail>', 'the e-mail of the user')
    .description('print a link that signs a user in to the console; it works once, for 15 minutes')
    .option('--workspace <id>', 'the workspace, if the user is in several')
    .action(link);
  return user;
}

async function link(email: string, { workspace }: { readonly workspace?: string }): Promise<void> {
  const config = readConfig();
  if (!config.hasConsole) throw new Error('There is no console to sign in to: WTS_CONSOLE is off.');
  const address = publicAddress(config);
  const token = await withDatabase((db) =>
    db.transaction(async (tx) => createSignInLink(tx, await activeUser(tx, email, workspace))),
  );
  print(`${address}/sign-in/${token}`);
}

async function activeUser(tx: EntityManager, email: string, slug: string | undefined): Promise<UserEntity> {
  // No lock is needed, because the link's foreign key keeps the user.
  const workspace = slug === undefined ? undefined : await tx.findOneBy(WorkspaceEntity, { slug });
  if (workspace === null) throw await noWorkspace(tx, slug ?? '');
  const where = {
    emailKey: keyOf(email),
    active: true,
    ...(workspace && { workspaceId: workspace.id }),
  };
  const [user, ...others] = await tx.find(UserEntity, { where, take: 2 });
  if (!user)
    throw new Error(
      `There is no active user "${email}"${slug === undefined ? '' : ` in ${slug}`}. See: wts user list --workspace ${slug ?? 'W'}`,
    );
  if (others.length > 0)
    throw new Error(`"${email}" is a user of several workspaces: choose with --workspace.`);
  return user;
}

interface AddOptions {
  readonly workspace: string;
  readonly email: string;
  readonly firstName?: string;
  readonly lastName?: string;
}

async function add({ workspace, email, firstName, lastName }: AddOptions): Promise<void> {
  const { isChanged } = await change(workspace, email, (user) => ({
    first_name: firstName ?? user?.firstName ?? null,
    last_name: lastName ?? user?.lastName ?? null,
    active: true,
  }));
  print(isChanged ? `${email} is a user of ${workspace}` : `no changes: ${email} is a user of ${workspace}`);
}

async function deactivate({ workspace, email }: AddOptions): Promise<void> {
  const { isChanged, told } = await change(workspace, email, (user) => {
    if (!user)
      throw new Error(
        `There is no user "${email}" in ${workspace}. See: wts user list --workspace ${workspace}`,
      );
    return { first_name: user.firstName, last_name: user.lastName, active: false };
  });
  print(isChanged ? `deactivated ${email}` : `no changes: ${email} was not active`);
  for (const line of told) print(`  ${line}`);
}

interface Person {
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly active: boolean;
}

/** Applies a change of one user like any definition: the change is checked, and announced to running services. */
async function change(
  slug: string,
  email: string,
  become: (user: UserEntity | null) => Person,
): Promise<{ readonly isChanged: boolean; readonly told: readonly string[] }> {
  return withDatabase((db) =>
    db.transaction(async (tx) => {
      const user = await findUser(tx, slug, email);
      const document = { workspace: { id: slug }, users: [{ ...become(user), email: user?.email ?? email }] };
      const source = readDefinition(JSON.stringify(document), 'command line');
      const { changes, effects } = await applyWithin(tx, source).catch(blameOptions);
      return { isChanged: changes.length > 0, told: effects.map(({ message }) => message) };
    }),
  );
}

function blameOptions(error: unknown): never {
  if (!(error instanceof DefinitionFaults)) throw error;
  const told = error.faults.map(({ path, message }) => `${path.replace(/^users\[\d+\]\./, '--').replace('_', '-')} ${message}`); // prettier-ignore
  throw new Error(told.join('\n'), { cause: error });
}

async function findUser(tx: EntityManager, slug: string, email: string): Promise<UserEntity | null> {
  const { id: workspaceId } = await workspaceNamed(tx, slug, 'for_no_key_update');
  return tx.findOneBy(UserEntity, { workspaceId, emailKey: keyOf(email) });
}

const keyOf = (email: string): string => toNfc(email).toLowerCase();

async function list({ workspace }: { readonly workspace: string }): Promise<void> {
  const users = await withWorkspace(workspace, (tx, workspaceId) =>
    tx.find(UserEntity, { where: { workspaceId }, order: { position: 'ASC' } }),
  );
  const rows = users.map(({ email, firstName, lastName, active }) => [
    email,
    [firstName, lastName].filter((name) => name !== null).join(' '),
    active ? 'active' : styled('dim', 'inactive'),
  ]);
  printTable(['E-MAIL', 'NAME', 'STATE'], rows);
}

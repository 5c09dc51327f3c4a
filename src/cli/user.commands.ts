import { Command } from 'commander';
import { type EntityManager } from 'typeorm';
import { toNfc } from '../../packages/exact-json/nfc.js';
import { createSignInLink } from '../access/sessions.js';
import { readConfig } from '../config.js';
import { UserEntity } from '../workflows/model/entities/user.entity.js';
import { WorkspaceEntity } from '../workflows/model/entities/workspace.entity.js';
import { publicAddress } from '../common/public-address.js';
import { styled, print, printTable } from './terminal.js';
import { noWorkspace, withDatabase, withWorkspace } from './with-database.js';

export function userCommands(): Command {
  const user = new Command('user').description('users of a workspace');
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
  // Needs no lock: if the user is deleted before the link is stored, the foreign key rejects the link.
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

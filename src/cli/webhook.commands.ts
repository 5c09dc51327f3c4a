import { plural } from '../definitions/impact/effect.js';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type EntityManager } from 'typeorm';
import { WebhookEntity } from '../entities/webhook.entity.js';
import { enterTest, type Replayed, replayDeliveries } from '../webhooks/deliveries.repository.js';
import { shownSecret } from '../lib/webhook-signature.js';
import {
  findSecret,
  findWebhooks,
  pauseWebhook,
  type Resumption,
  rotateSecret,
  resumeWebhook,
} from '../webhooks/webhooks.repository.js';
import { print, printTable, tell, styled } from './terminal.js';
import { withWorkspace } from './with-database.js';

/** `wts webhook …` */
export function webhookCommands(): Command {
  const webhook = new Command('webhook').description('webhooks, which receive the events of a workspace');
  inWorkspace(webhook.command('list'), 'show every webhook and its state').action(list);
  inWorkspace(webhook.command('test <id>'), 'send an event of type webhook.test').action(test);
  inWorkspace(webhook.command('replay <id>'), 'send events again')
    .option('--delivery <id...>', 'the ids of deliveries')
    .option('--from <time>', 'events from this time on, such as 2026-11-21T23:00:00Z; with --to', parseTime)
    .option('--to <time>', 'events before this time', parseTime)
    .option('--failed', 'all failed deliveries')
    .action(replay);
  inWorkspace(webhook.command('enable <id>'), 'activate a webhook again')
    .addOption(
      new Option('--from <where>', 'where_it_stopped: events since then are sent; now: they are not')
        .choices(['where_it_stopped', 'now'])
        .default('where_it_stopped'),
    )
    .action(enable);
  inWorkspace(webhook.command('pause <id>'), 'pause a webhook; its events are kept').action(pause);
  inWorkspace(webhook.command('secret <id>'), 'print the secret that signs events').action(secret);
  inWorkspace(
    webhook.command('rotate <id>'),
    'create a new secret and print it; both sign for 24 hours',
  ).action(rotate);
  return webhook;
}

interface Place {
  readonly workspace: string;
}

function inWorkspace(command: Command, description: string): Command {
  return command.description(description).requiredOption('--workspace <id>', 'the workspace');
}

function parseTime(text: string): string {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  if (!isTime || Number.isNaN(Date.parse(text)))
    throw new InvalidArgumentError('It must be a time such as 2026-11-21T23:00:00Z.');
  return new Date(text).toISOString();
}

/** Runs work on a webhook; throws if the workspace has none with this id. */
async function withWebhook<T>(
  { workspace }: Place,
  id: string,
  work: (tx: EntityManager, workspaceId: number) => Promise<T>,
): Promise<T> {
  return withWorkspace(workspace, async (tx, workspaceId) => {
    if (await tx.existsBy(WebhookEntity, { workspaceId, id })) return work(tx, workspaceId);
    throw new Error(
      `There is no webhook "${id}" in ${workspace}. See: wts webhook list --workspace ${workspace}`,
    );
  });
}

async function list({ workspace }: Place): Promise<void> {
  const webhooks = await withWorkspace(workspace, findWebhooks);
  const rows = webhooks.map(({ id, state, failingSince, managedBy, url, events }) => [
    id,
    state === 'active' ? state : styled('dim', state),
    failingSince?.toISOString() ?? '',
    managedBy,
    url,
    events.join(', '),
  ]);
  printTable(['ID', 'STATE', 'FAILING SINCE', 'MANAGED BY', 'URL', 'EVENTS'], rows);
}

async function test(id: string, place: Place): Promise<void> {
  await withWebhook(place, id, (tx, workspaceId) => enterTest(tx, workspaceId, id));
  print(`the workers of the service send a test to ${id}`);
}

interface ReplayOptions extends Place {
  readonly delivery?: string[];
  readonly from?: string;
  readonly to?: string;
  readonly failed?: true;
}

async function replay(id: string, { delivery, from, to, failed, ...place }: ReplayOptions): Promise<void> {
  const ways = [delivery, from ?? to, failed].filter((way) => way !== undefined);
  if (ways.length !== 1 || (from === undefined) !== (to === undefined))
    throw new Error('Name the events with one of --delivery, --from with --to, and --failed.');
  const wanted: Replayed = { deliveries: delivery, from, to, state: failed && 'failed' };
  const replayed = await withWebhook(place, id, (tx, workspaceId) =>
    replayDeliveries(tx, workspaceId, id, wanted),
  );
  print(`${plural(replayed, 'event')} will be sent again`);
}

async function enable(id: string, { from, ...place }: Place & { readonly from: Resumption }): Promise<void> {
  await withWebhook(place, id, (tx, workspaceId) => resumeWebhook(tx, workspaceId, id, from));
  print(`${id} is active`);
}

async function pause(id: string, place: Place): Promise<void> {
  await withWebhook(place, id, (tx, workspaceId) => pauseWebhook(tx, workspaceId, id));
  print(`${id} is paused`);
}

async function secret(id: string, place: Place): Promise<void> {
  const found = await withWebhook(place, id, (tx, workspaceId) => findSecret(tx, workspaceId, id));
  if (found) print(shownSecret(found));
}

async function rotate(id: string, place: Place): Promise<void> {
  const made = await withWebhook(place, id, (tx, workspaceId) => rotateSecret(tx, workspaceId, id));
  if (made) print(shownSecret(made));
  tell('the former secret also signs for 24 hours');
}

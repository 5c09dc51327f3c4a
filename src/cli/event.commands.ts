import { setTimeout as pause } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { type EntityManager } from 'typeorm';
import { readConfig } from '../config.js';
import { TaskEntity } from '../entities/task.entity.js';
import { namesOfEvents } from '../events/event-names.js';
import {
  type FeedPosition,
  forgetTask,
  formerTasks,
  numberEvents,
  oldestPosition,
  readFeed,
  type RecordedEvent,
} from '../events/events.repository.js';
import { serializeEvents } from '../events/serialize-event.js';
import { taskUrlOf } from '../lib/public-address.js';
import { findTaskKey, type TaskKey } from '../task-store/task-keys.js';
import { type Scope } from '../workspace/scope.js';
import { Workspaces } from '../workspace/workspaces.js';
import { confirm, documentFor, type Paint, paintFor, print } from './terminal.js';
import { openWorkflow, withDatabase, workspaceNamed } from './with-database.js';

/** `wts events` and `wts task …` */
export function eventCommands(): Command[] {
  const events = new Command('events')
    .description('show the events of a workspace, a line for each, oldest first')
    .requiredOption('--workspace <id>', 'the workspace')
    .option('--follow', 'show new events until the command is stopped')
    .option('--json', 'print lines of JSON, as in the API')
    .action(showEvents);
  const task = new Command('task').description('show or erase the events of a task');
  task
    .command('history')
    .description(
      'show the events of a task, newest first; if it was deleted, of all tasks that had its Unique ID',
    )
    .argument('<unique id>', 'the Unique ID of the task')
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--workflow <id>', 'the workflow')
    .option('--json', 'print lines of JSON, as in the API')
    .action(showHistory);
  task
    .command('forget')
    .description('erase the events of a deleted task, as a law may require')
    .argument('<id>', 'the id of the task: the last part of its Task URL', parseId)
    .requiredOption('--workspace <id>', 'the workspace')
    .option('--yes', 'do not ask for confirmation')
    .action(forget);
  return [events, task];
}

function parseId(text: string): string {
  if (/^[\w-]{8,64}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the last part of a Task URL.');
}

interface ShowOptions {
  readonly workspace: string;
  readonly json?: true;
}

async function showEvents(options: ShowOptions & { readonly follow?: true }): Promise<void> {
  await withDatabase(async (db) => {
    const { id } = await db.transaction((tx) => workspaceNamed(tx, options.workspace));
    const last = await numberEvents(db, id);
    let at = options.follow ? last : await oldestPosition(db, id);
    // The user ends it by a signal, or by closing the pipe.
    for (;;) {
      const behind = await showBehind(db, id, at, options);
      if (behind.position === at.position && !options.follow) return;
      if (behind.position === at.position) await pause(POLL_INTERVAL_MS);
      at = behind;
      if (options.follow) await numberEvents(db, id);
    }
  });
}

const POLL_INTERVAL_MS = 200;

/** Prints the next events after a position; returns the new position. */
async function showBehind(
  db: EntityManager,
  workspaceId: number,
  at: FeedPosition,
  { json }: ShowOptions,
): Promise<FeedPosition> {
  const rows = await readFeed(db, workspaceId, at.position, 500, {});
  const events = rows.flatMap(({ event }) => event ?? []);
  for (const line of await linesOf(db, workspaceId, events, json)) printLine(line, json);
  return rows.at(-1) ?? at;
}

async function linesOf(
  db: EntityManager,
  workspaceId: number,
  events: readonly RecordedEvent[],
  json: true | undefined,
): Promise<string[]> {
  if (events.length === 0) return [];
  const taskUrl = taskUrlOf(readConfig());
  const workspace = await new Workspaces(db.dataSource, taskUrl).get(workspaceId);
  const names = await namesOfEvents(db, workspace, taskUrl, events);
  const texts = (await serializeEvents(events, names)).map(({ json: text }) => text);
  return json ? texts : texts.map((text) => lineOf(text, paintFor(process.stdout)));
}

function printLine(line: string, json: true | undefined): void {
  if (json) process.stdout.write(documentFor(process.stdout, `${line}\n`));
  else print(line);
}

async function showHistory(
  uniqueId: string,
  { workspace: slug, workflow: workflowSlug, json }: ShowOptions & { readonly workflow: string },
): Promise<void> {
  const taskUrl = taskUrlOf(readConfig());
  await withDatabase(async (db) => {
    const { scope } = await openWorkflow(db, slug, workflowSlug, taskUrl);
    const workspace = await new Workspaces(db.dataSource, taskUrl).get(scope.workspaceId);
    // Loaded late because it loads Nest, which takes longer than most commands.
    const { readHistory } = await import('../events/history.service.js');
    for (const task of await tasksCalled(db, scope, uniqueId)) {
      const read = readHistory(db, task, workspace, taskUrl);
      for (let before: string | undefined = '0'; before !== undefined;) {
        const { rows, next } = await read(before, 500);
        for (const { json: text } of rows)
          printLine(json ? text : lineOf(text, paintFor(process.stdout)), json);
        before = next;
      }
    }
  });
}

/** The task with this Unique ID, or else those that once had it. Throws if there are none. */
async function tasksCalled(db: EntityManager, scope: Scope, uniqueId: string): Promise<readonly TaskKey[]> {
  try {
    return [await findTaskKey(db, scope, uniqueId)];
  } catch (error) {
    const former = await formerTasks(db, scope.workflow, uniqueId);
    if (former.length === 0) throw error;
    return former;
  }
}

async function forget(
  publicId: string,
  { workspace, ...options }: { readonly workspace: string; readonly yes?: true },
): Promise<void> {
  await withDatabase(async (db) => {
    const { id } = await db.transaction((tx) => workspaceNamed(tx, workspace));
    if (await isThere(db, id, publicId))
      throw new Error('The task still exists, and its history shows its events. Delete it first.');
    if (!(await confirm(`This erases all events of the task ${publicId} for good.`, options))) {
      print('nothing was erased');
      return;
    }
    print(`erased ${await forgetTask(db, id, publicId)} events of the task ${publicId}`);
  });
}

function isThere(db: EntityManager, workspaceId: number, publicId: string): Promise<boolean> {
  return db.existsBy(TaskEntity, { workspaceId, publicId });
}

/** The parts of an event that a line shows. */
interface Shown {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly workflow: string | null;
    readonly task: { readonly unique_id: string | null; readonly id: string } | null;
    readonly actor: { readonly kind: string; readonly id?: string; readonly name?: string | null };
    readonly execution: { readonly action: string | null; readonly errors?: readonly string[] } | null;
    readonly changes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly checklist_item?: { readonly title: string };
    readonly comment?: { readonly body: string };
    readonly definition?: { readonly version: number };
    readonly key?: Administered;
    readonly user?: Administered;
    readonly webhook?: Administered;
  };
}

/** A key, user or webhook, by its name for people. */
interface Administered {
  readonly id?: string;
  readonly name?: string;
  readonly email?: string;
  readonly changed?: readonly string[];
}

/** An event as one line: time, type, task, author and changes. */
function lineOf(text: string, paint: Paint): string {
  const { type, timestamp, data } = JSON.parse(text) as Shown;
  const { workflow, task, actor } = data;
  const what = task ? `${workflow}/${task.unique_id ?? task.id}` : '';
  const who = actor.name ?? actor.id ?? actor.kind;
  const colour = type.endsWith('.deleted') || type.endsWith('.failed') ? 'red' : 'green';
  const parts = [
    paint('dim', timestamp),
    paint(colour, type),
    what,
    paint('dim', `by ${who}`),
    detailOf(data),
  ];
  return parts
    .filter(Boolean)
    .join('  ')
    .replace(/\s*\n\s*/g, ' ');
}

function detailOf(data: Shown['data']): string {
  const { changes, checklist_item, comment, definition, execution } = data;
  const administered = data.key ?? data.user ?? data.webhook;
  if (comment) return comment.body;
  if (definition) return `version ${definition.version}`;
  if (administered) return [nameOfAdministered(administered), ...(administered.changed ?? [])].join(' ');
  const changed = Object.entries(changes ?? {}).map(([name, change]) => `${name}: ${changeOf(change)}`);
  const subject =
    checklist_item?.title ??
    (changes ? '' : `${execution?.action ?? ''} ${execution?.errors?.join(', ') ?? ''}`);
  return [subject.trim(), ...changed].filter(Boolean).join(', ');
}

const nameOfAdministered = ({ id, name, email }: Administered): string =>
  [email ?? id, name].filter(Boolean).join(' ');

function changeOf(change: Readonly<Record<string, unknown>>): string {
  if ('to' in change) return `${valueOf(change['from'])} → ${valueOf(change['to'])}`;
  const signs = { added: '+', linked: '+', removed: '−', unlinked: '−' };
  const parts = Object.entries(signs).flatMap(([key, sign]) => {
    const listed = change[key];
    return Array.isArray(listed) ? listed.map((one) => `${sign}${valueOf(one)}`) : [];
  });
  return parts.join(' ');
}

function valueOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const name: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'filename') : undefined;
  return typeof name === 'string' ? name : value === null ? '(blank)' : JSON.stringify(value);
}

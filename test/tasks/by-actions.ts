import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { taskCommands } from '../../src/cli/task.commands.js';
import { commandNamed, type Ended, wts } from '../support/command-line.js';
import { type Client, startService, type TestService } from '../support/service.js';

/** The service that the tests of a file ask, and a client of its workspace acme with its key. */
export let service: TestService;
export let api: Client;
export let key: string;

/** The path of a workflow. */
export const workflow = (id: string): string => `/api/v1/workflows/${id}`;

export async function open(definition: string): Promise<void> {
  service = await startService();
  await service.apply(definition);
  key = await service.key('acme');
  api = service.client(key);
}

export const close = (): Promise<void> => service.stop();

/** How an action on a task ends. */
export async function perform(
  id: string,
  action_id: string,
  task_id: string,
  fields?: object,
): Promise<unknown> {
  const body = { action_id, task_id, ...(fields && { fields }) };
  const answer = await api.post(`${workflow(id)}/executions`, body).set('Prefer', 'wait=20');
  return (answer.body as { status: unknown }).status;
}

/** The lines that answer a batch. */
export async function batch(id: string, rows: readonly object[], query = ''): Promise<unknown[]> {
  const answer = await fetch(`${service.url}${workflow(id)}/tasks/batch${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(rows),
  });
  const lines = (await answer.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as unknown);
}

/** What `wts import` of one row says. */
export async function importing(id: string, row: object, ...flags: string[]): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'wts-import-'));
  await writeFile(join(folder, 'rows.ndjson'), `${JSON.stringify(row)}\n`);
  const args = ['rows.ndjson', '--workspace', 'acme', '--workflow', id, ...flags];
  const url = service.config.databaseUrl ?? '';
  const ended = wts(commandNamed('import', taskCommands()), args, url, folder);
  return ended.finally(() => rm(folder, { recursive: true }));
}

/** The body of a task, as it is sent. */
export const text = async (path: string): Promise<string> => (await api.get(path).expect(200)).text;

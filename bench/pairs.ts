import type pg from 'pg';
import { type Ask } from './ask.js';
import { caseValues, partValues } from './definition.js';
import { fillWorkflow } from './fill.js';
import { newTask, tasksPath } from './cases.js';
import { openConnection, textOf } from './connection.js';
import { requireSuccess } from './drive.js';
import { type Options } from './options.js';
import { type Ground } from './prepare.js';
import { takeTurns, type Turns } from './rounds.js';

/** Two requests to the service; the first should take hardly longer than the second. */
export interface Pair {
  readonly name: string;
  /** The request with this number; a run uses each number once. */
  readonly request: (n: number) => string;
  readonly than: string;
  readonly otherRequest: (n: number) => string;
  /** The limit of the first one's time as a share of the second's; absent without a limit. */
  readonly atMost?: number;
}

export interface MeasuredPair {
  readonly pair: Pair;
  readonly turns: readonly Turns[];
}

const path = (workflow: string): string => `/api/v1/workflows/${workflow}/tasks`;

/** Orders with 10 parts each, and papers of which one has 3 files. */
export async function fillPairs(db: pg.Client): Promise<void> {
  const filling = { from: 1, values: caseValues, stage: '1', assignee: 'users.ids[1 + i % 20]' };
  await fillWorkflow(db, { ...filling, workflow: 'orders', to: 100, uniqueId: `'O-' || i` });
  await fillWorkflow(db, {
    ...filling,
    workflow: 'parts',
    to: 1000,
    uniqueId: `'P-' || i`,
    values: partValues,
  });
  await fillWorkflow(db, { ...filling, workflow: 'papers', to: 100, uniqueId: `'F-' || i` });
  await db.query(`
    INSERT INTO links (workspace_id, relationship_id, kind, from_workflow_id, from_id, to_workflow_id, to_id)
    SELECT o.workspace_id, r.id, r.kind, o.workflow_id, o.id, p.workflow_id, p.id
    FROM relationships r
    JOIN tasks o ON o.workflow_id = r.from_workflow_id
    JOIN tasks p ON p.workflow_id = r.to_workflow_id
      AND substr(p.unique_value, 3)::integer % 100 + 1 = substr(o.unique_value, 3)::integer
    WHERE r.id = 'parts'`);
  await db.query(`
    UPDATE tasks t SET field_values = t.field_values || jsonb_build_object(f.id, (
      SELECT jsonb_agg(jsonb_build_object(
        'blobId', 'blob-' || n, 'filename', 'contract-' || n || '.pdf', 'contentType', 'application/pdf'
      )) FROM generate_series(1, 3) n
    ))
    FROM fields f WHERE f.name = 'Files' AND t.workflow_id = f.workflow_id AND t.unique_value = 'F-1'`);
  await db.query('VACUUM (ANALYZE)');
}

/** Compares the service with itself: the cost of links and files. */
export async function measurePairs(ground: Ground, options: Options): Promise<MeasuredPair[]> {
  const [service] = ground.targets;
  if (!service) return [];
  const measured: MeasuredPair[] = [];
  let number = 0;
  for (const pair of await pairs(ground.ask, service.port)) {
    const isWanted = options.cases.length === 0 || options.cases.some((word) => pair.name.includes(word));
    if (!isWanted) continue;
    const contender = (name: string, request: Pair['request']) => ({
      name,
      target: service,
      one: { request },
    });
    const both = [contender(pair.name, pair.request), contender(pair.than, pair.otherRequest)];
    const rounds = { ...options, prepare: () => Promise.resolve(), nextNumber: () => (number += 1) };
    measured.push({ pair, turns: await takeTurns(both, rounds) });
  }
  return measured;
}

async function pairs(ask: Ask, port: number): Promise<Pair[]> {
  const linked = ask('GET', `${path('orders')}?_limit=100`);
  const bytesOfOne = (await lengthOf(port, ask('GET', `${tasksPath}?_limit=100`))) / 100;
  const count = Math.round((await lengthOf(port, linked)) / bytesOfOne);
  return [
    {
      name: 'list of 100 with 10 links each',
      request: always(linked),
      than: `list of ${count} without links, of as many bytes`,
      otherRequest: always(ask('GET', `${tasksPath}?_limit=${count}`)),
      atMost: 1.4,
    },
    {
      name: 'one task with 3 files',
      request: always(ask('GET', `${path('papers')}/F-1`)),
      than: 'one task without',
      otherRequest: always(ask('GET', `${path('papers')}/F-2`)),
    },
    {
      name: 'create, where a field has an index',
      request: (n) => ask('POST', path('kept'), newTask(n)),
      than: 'create, where none has',
      otherRequest: (n) => ask('POST', path('unkept'), newTask(n)),
      atMost: 1.08,
    },
  ];
}

const always = (request: string) => (): string => request;

async function lengthOf(port: number, request: string): Promise<number> {
  const connection = await openConnection(port);
  try {
    const answer = await connection.send(request);
    requireSuccess(request, answer);
    return Buffer.byteLength(textOf(answer));
  } finally {
    connection.close();
  }
}

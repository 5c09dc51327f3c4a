import {
  executionLeases,
  type Claimed,
  finish,
  recordAnswer,
} from '../../src/executions/claims.repository.js';
import { callsTo, cases, executions } from '../support/calling-cases.js';
import { holdBy } from '../support/held-tasks.js';
import { neverAnswer, receiverOfFile } from '../support/receiver.js';
import { startServiceWith } from '../support/service.js';

/** Half of it is time enough for a slow machine. */
const leaseMs = 50_000;

const receiver = await receiverOfFile();
const allow = { WTS_OUTBOUND_ALLOW: '127.0.0.1/32' };
const { service, api } = await startServiceWith(callsTo(receiver.url), allow);
const [{ id: workspaceId }] = await service.dataSource.query<[{ id: number }]>('SELECT id FROM workspaces');
const db = service.dataSource.manager;

describe('an execution whose worker is lost', () => {
  async function start(action_id: string, ID: string): Promise<string> {
    await api.post(cases, { ID, Count: 0 }).expect(201);
    return ((await api.post(executions, { task_id: ID, action_id }).expect(202)).body as { id: string }).id;
  }
  const shown = (id: string): Promise<object> => api.read<object>(`${executions}/${id}`);
  /** Another worker claims it, and does nothing with it. */
  const claimed = (id: string): Promise<Claimed | undefined> =>
    executionLeases.claim(db, { workspaceId, id }, leaseMs);
  async function lost(id: string): Promise<Claimed> {
    const mine = await claimed(id);
    if (!mine) throw new Error('was not claimed');
    return mine;
  }
  const keysOf = (path: string): unknown[] =>
    receiver.of(path).map(({ headers }) => headers['idempotency-key']);

  it('is left alone until its lease ends; then another worker makes the unanswered calls', async () => {
    const id = await start('call', 'killed');
    const dead = await lost(id);
    await recordAnswer(db, dead, 1, { task: null });
    await service.settle({ after: leaseMs / 2 });
    expect(await shown(id)).toEqual({ id, status: 'Pending' });
    expect(await claimed(id)).toBeUndefined();
    await service.settle({ after: leaseMs / 2 + 1000 });
    expect(await shown(id)).toEqual({ id, status: 'Success' });
    expect([keysOf('/killed/first'), keysOf('/killed/second')]).toEqual([[], [`${id}.2`]]);
    expect(await api.read(`${cases}/killed`)).toMatchObject({ Count: '1', Stage: 'Done' });
  });

  it('is skipped while another worker claims it: nobody waits for its row', async () => {
    const id = await start('move', 'held');
    const release = await holdBy(service.dataSource, 'SELECT FROM executions WHERE id = $1 FOR UPDATE', [id]);
    expect(await claimed(id)).toBeUndefined();
    await release();
    expect(await claimed(id)).toMatchObject({ id });
  });

  it('may be written by its last owner only, even while an earlier owner is writing', async () => {
    const id = await start('move', 'fenced');
    const dead = await lost(id);
    await service.settle({ after: leaseMs + 1000, kind: 'none' });
    const alive = await lost(id);
    expect(await executionLeases.renew(db, dead, leaseMs)).toBe(false);
    expect(await finish(db, dead, ['late'], [])).toBeUndefined();
    expect(await shown(id)).toEqual({ id, status: 'Pending' });
    expect(await finish(db, alive, null, [])).toEqual({ next: null, errors: null });
  });

  it('is given up after five losses, and other executions are not', async () => {
    const id = await start('call', 'poison');
    for (let death = 1; death <= 5; death += 1) {
      await lost(id);
      const other = await start('move', `good-${death}`);
      if (death < 5) {
        // Nobody looks until the lease has ended.
        await service.settle({ after: leaseMs / 2 });
        expect(await shown(other)).toMatchObject({ status: 'Success' });
        await service.settle({ after: leaseMs / 2 + 1000, kind: 'none' });
      }
    }
    await service.settle({ after: leaseMs + 1000 });
    expect(await shown(id)).toEqual({ id, status: 'Fail', errors: ['was given up after several attempts'] });
    expect(receiver.of('/poison')).toEqual([]);
  });

  it('ends if it takes too long since its first claim, or if it was never begun', async () => {
    const [long, forgotten] = [await start('call', 'long'), await start('move', 'forgotten')];
    receiver.answer('/long', neverAnswer);
    await lost(long);
    await service.settle({ after: service.config.executionMs + 1000, kind: 'none' });
    await service.settle();
    expect(await shown(long)).toMatchObject({ status: 'Fail', errors: ['took too long'] });
    expect(receiver.of('/long')).toEqual([]);
    expect(await shown(forgotten)).toMatchObject({ status: 'Success' });
    const late = await start('move', 'late');
    await service.settle({ after: 86_400_000 + 1000 });
    expect(await shown(late)).toMatchObject({ status: 'Fail', errors: ['was not begun in time'] });
  });
});

import { type EntityManager } from 'typeorm';
import { actionOf } from '../../actions/action.js';
import { type Message, say } from '../../common/message.js';
import { recordEvent } from '../../events/record-event.js';
import { type ExecutionKey } from '../../executions/executions.repository.js';
import { refuseRun, startRun } from '../../executions/runs/start-run.js';
import { instantText } from '../../workflows/time/zone.js';
import { Scope } from '../../workflows/model/scope.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type TaskClock } from './compiled-clocks.js';
import { type RungDue } from './rungs.js';
import { type ClockedTask } from './clocks.repository.js';

/** A transaction that has locked a task. This lock protects the clocks of the task, too. */
export interface TaskTurn {
  readonly tx: EntityManager;
  readonly workflow: Workflow;
  readonly task: ClockedTask;
}

/** Records the events and runs of rungs; a skipped rung has no event. Returns the inserted executions. */
export async function recordRungs(
  turn: TaskTurn,
  { clock }: TaskClock,
  due: readonly RungDue[],
): Promise<ExecutionKey[]> {
  const executions: ExecutionKey[] = [];
  for (const rung of due) {
    const eventId = rung.kind === 'skipped' ? null : await recordRung(turn, clock.id, rung);
    const execution = await runRung(turn, clock.id, rung, eventId);
    if (execution) executions.push(execution);
  }
  return executions;
}

/** Records the event of a rung; returns the id of the event. */
async function recordRung(
  { tx, workflow: { workspaceId, id: workflowId }, task }: TaskTurn,
  clock: string,
  { rung, dueAt, kind }: RungDue,
): Promise<string> {
  const about = {
    clock,
    rung: rung.id,
    due_at: instantText(dueAt),
    run: rung.run ?? null,
  };
  const cause = { kind: 'clock' as const, id: clock, workflow: workflowId, event: null, chain: [] };
  const type = kind === 'fire' ? 'clock.fired' : 'clock.missed';
  return (await recordEvent(tx, { workspaceId, type, task, workflowId, origin: { cause }, about })).id;
}

async function runRung(
  { tx, workflow, task }: TaskTurn,
  clock: string,
  { rung: { id, run, given }, kind }: RungDue,
  eventId: string | null,
): Promise<ExecutionKey | undefined> {
  const scope = new Scope(workflow);
  const action = run === undefined ? undefined : await actionOf(scope, run);
  if (!action) return undefined;
  const { workspaceId, id: workflowId } = workflow;
  const starter = { workspaceId, kind: 'clock' as const, workflowId, starterId: clock, performer: undefined };
  const because = becauseOf(kind, clock, id);
  const wanted = { starter, scope, action, task, eventId, because, given };
  if (kind === 'fire') return startRun(tx, wanted);
  await refuseRun(tx, wanted, kind, because);
  return undefined;
}

function becauseOf(kind: RungDue['kind'], clock: string, rung: string): Message {
  if (kind === 'fire') return say`${clock} reached ${rung}`;
  return kind === 'missed'
    ? say`${clock} reached ${rung} too long ago`
    : say`${clock} had ended before ${rung}`;
}

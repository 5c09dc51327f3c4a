import { shownEventId } from '../../../common/origin.js';
import { type RunResult } from '../../../common/column-values.js';
import { sourceOf } from '../../../events/event-names.js';
import { type RecordedEvent } from '../../../events/events.repository.js';
import { type Message, say } from '../../../common/message.js';
import { causeOfRun } from '../../../executions/runs/run.js';
import { recordRun } from '../../../executions/runs/runs.repository.js';
import { createOf } from '../triggers/hook.js';
import { loopOf, MAX_CHAIN, type MetRule, starterOf } from '../follow-rule.js';
import { recordLoop } from '../rule-events.js';
import { createByHook } from './create-by-hook.js';
import { type HookSubject } from './hook-subject.js';

/**
 * The rule, triggered by an event of the task that its hook names. If the task does not exist and the rule says so,
 * creates it. Undefined if there is no task: the run is recorded with the reason.
 */
export async function ofTaskOfHook(met: MetRule, subject: HookSubject): Promise<MetRule | undefined> {
  if (subject.event.taskId !== null) return { ...met, event: subject.event };
  const { tx, workflow, rule } = met;
  const refusal = refusalOfHook(met, subject);
  const create = createOf(rule.definition);
  if (refusal || !create) return refused(met, refusal ?? ['unavailable', notFound(subject)]);
  const starter = starterOf(workflow, rule);
  const event = await createByHook({ tx, workflow, starter, subject, create, chain: chainOf(met) });
  return 'refused' in event ? refused(met, ['failed', event.refused]) : { ...met, event };
}

type Refusal = readonly [result: RunResult, because: Message];

/** Why no task is created; undefined if one may be. */
function refusalOfHook(met: MetRule, { fault }: HookSubject): Refusal | undefined {
  if (met.isPaused) return ['silenced', 'the rule is paused'];
  if (fault !== undefined) return ['failed', fault];
  const chain = chainOf(met);
  return chain.length >= MAX_CHAIN ? ['loop', loopOf(chain)] : undefined;
}

const notFound = ({ uniqueId }: HookSubject): Message =>
  uniqueId === null ? 'the body names no task' : say`there is no task ${uniqueId}`;

const chainOf = ({ event }: { readonly event: RecordedEvent }) => sourceOf(event.origin).cause?.chain ?? [];

async function refused(met: MetRule, [result, because]: Refusal): Promise<undefined> {
  const { tx, event, workflow, rule } = met;
  const starter = starterOf(workflow, rule);
  const chain = chainOf(met);
  const place = await recordRun(tx, {
    starter,
    actionId: rule.definition.run,
    eventId: event.id,
    isCaused: sourceOf(event.origin).cause?.kind === 'rule',
    chain,
    cause: causeOfRun(starter, shownEventId(event.id), chain),
    result,
    because,
  });
  if (place !== undefined && result === 'loop') await recordLoop(tx, starter, event, chain);
  return undefined;
}

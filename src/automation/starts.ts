import { type ActionDefinition } from '../workflows/model/action-definition.js';
import { type Report } from '../workflows/model/check/kit.js';

interface Starter {
  readonly run?: string;
}

/** What to do about a step that needs a performer in an action that nobody performs. */
export const nameInStep = 'name a user or { field: … } in that step';

/** Warns of a step or condition that reads the performer, in an action that starts without one. */
export function warnOfNoPerformer(
  starter: Starter,
  { name, steps, requirements }: ActionDefinition,
  report: Report,
  remedy = nameInStep,
): void {
  const needy = steps.find((step) => [...performersIn(step)].length > 0);
  const isAsked = [...performersIn(requirements)].length > 0;
  if (!needy && !isAsked) return;
  const what = needy ? `step ${needy.name}` : 'requirements';
  report(starter, 'run', `runs ${name}, whose ${what} needs a performer, but nobody performs it: ${remedy}`, 'warning'); // prettier-ignore
}

/** The expressions that read the performer without comparing it with null. */
function* performersIn(value: unknown, key = ''): Iterable<string> {
  if (typeof value === 'string') {
    const isRead = key === 'to' ? value === 'performer' : formulas.has(key) && /\bperformer\b/.test(value);
    if (isRead && !/\bperformer\s*[!=]=\s*null\b/.test(value)) yield value;
  } else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value))
      yield* performersIn(item, Array.isArray(value) ? key : name);
}

const formulas: ReadonlySet<string> = new Set(['expression', 'when']);

/** Warns of an action that is not offered in some, or in all, of the stages where it is started. */
export function warnOfUnoffered(
  starter: Starter,
  { name, stages }: ActionDefinition,
  started: readonly string[],
  which: 'some' | 'all',
  report: Report,
): void {
  const closed = started.filter((stage) => stages.length > 0 && !stages.includes(stage));
  if (closed.length === 0 || (which === 'all' && closed.length < started.length)) return;
  const remedy = `add ${closed.length === 1 ? 'it' : 'them'} to the stages of the action, or run another here`;
  report(
    starter,
    'run',
    `runs ${name} in ${closed.join(', ')}, where it is not offered: ${remedy}`,
    'warning',
  );
}

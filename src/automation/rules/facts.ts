import { type ExpressionFacts, type FactValue } from '../../workflows/expressions/expression.js';
import { type Fact, factKeys } from '../../workflows/expressions/scope.js';
import { serializeEvent } from '../../events/serialize-event.js';
import { type EventNames } from '../../events/event-names.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { type TriggerType } from './trigger.js';

/** The facts beyond the task that `when` of a rule with this trigger may read. */
export function factsOf(trigger: TriggerType | undefined): readonly Fact[] {
  return trigger?.reads === undefined ? ['actor'] : ['actor', trigger.reads];
}

/** The facts of an event beyond its task, by their names in `when`. */
export function factsIn(event: RecordedEvent, names: EventNames): ExpressionFacts {
  const { data } = JSON.parse(serializeEvent(event, names).json) as {
    data: Readonly<Record<string, unknown>>;
  };
  return new Map(
    Array.from(factKeys, ([name, keys]) => {
      const told = data[name === 'item' ? 'checklist_item' : name];
      // A key that this event lacks is blank instead of an error.
      const blank = Object.fromEntries(keys.map((key) => [key, null]));
      return [name, factOf(typeof told === 'object' && told !== null ? { ...blank, ...told } : told)];
    }),
  );
}

function factOf(value: unknown): FactValue {
  if (Array.isArray(value)) return value.map(factOf);
  if (typeof value === 'object' && value !== null)
    return new Map(Object.entries(value).map(([key, inner]) => [key, factOf(inner)]));
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return typeof value === 'number' ? String(value) : null;
}

import Type from 'typebox';
import { taskChanges } from '../../../events/task-changes.js';
import { say } from '../../../common/message.js';
import { type Property } from '../../../workflows/fields/property.js';
import { Invalid } from '../../../workflows/fields/invalid.js';
import {
  checkUser,
  checkValue,
  type Report,
  type WorkflowScope,
} from '../../../workflows/model/check/kit.js';
import { refers } from '../../../workflows/model/marks.js';
import { type RuleDefinition } from '../rule-definition.js';
import {
  type ComparedValue,
  each,
  type EventFacts,
  oneOrMany,
  triggerType,
  valueOrMany,
  type Verdict,
} from '../trigger.js';

const ASSIGNEE = 'Assigned To';

const settings = Type.Object(
  {
    field: oneOrMany({
      ...refers('field', { otherKeys: 'everything' }),
      title: 'Field',
      description: 'A field, a relationship or `Assigned To`; or a list of them, one of which must change.',
    }),
    from: Type.Optional(
      valueOrMany({
        title: 'From',
        description: 'The value before the change, or a list of values; null is blank.',
      }),
    ),
    to: Type.Optional(
      valueOrMany({
        title: 'To',
        description: 'The value after the change, or a list of values; null is blank.',
      }),
    ),
  },
  {
    title: 'A field changes',
    description: 'The value of a field of an existing task changed.',
    examples: [{ field: 'Tier', from: 'Silver', to: 'Gold' }],
  },
);

interface Settings {
  field: string | string[];
  from?: ComparedValue | ComparedValue[];
  to?: ComparedValue | ComparedValue[];
}

export const fieldChanged = triggerType(settings, {
  types: ['task.updated'],
  check(rule, scope, report) {
    each(rule.field).forEach((name, index) => {
      const [holder, key] = Array.isArray(rule.field) ? [rule.field, index] : [rule, 'field'];
      if (name === 'Stage') report(holder, key, 'is not a field: use stage_entered or stage_left');
    });
    for (const key of ['from', 'to'] as const) checkValues(rule, key, scope, report);
  },
  compile(rule, workflow) {
    const changes = each(rule.field).flatMap((name) => {
      const property = workflow.schema.byName.get(name);
      return property ? [{ name, property, isMeant: comparison(rule, property) }] : [];
    });
    const list = each(rule.field).join(', ');
    const unchanged = { isMet: false, because: say`${list} did not change` };
    return (facts) => {
      let unmet: Verdict = unchanged;
      for (const { name, property, isMeant } of changes) {
        const change = changeOf(property, facts);
        if (!change) continue;
        const verdict = {
          isMet: isMeant(change),
          // The reason is computed only if it is read, because computing it takes longer than comparing.
          get because() {
            return becauseOf(name, facts);
          },
        };
        if (verdict.isMet) return verdict;
        if (unmet === unchanged) unmet = verdict;
      }
      return unmet;
    };
  },
});

type Compared = unknown;

interface FieldChange {
  readonly from: Compared;
  readonly to: Compared;
}

/**
 * Returns the stored values of a property before and after an event. For links, both are null. Returns
 * undefined if the property did not change.
 */
function changeOf({ name, fieldId, links }: Property, { event }: EventFacts): FieldChange | undefined {
  const { assigneeFrom, assigneeTo, valuesFrom, valuesTo } = event;
  if (name === ASSIGNEE && fieldId === undefined)
    return assigneeFrom === assigneeTo ? undefined : { from: assigneeFrom, to: assigneeTo };
  if (links) return event.links?.some(([side]) => side === links.side) ? { from: null, to: null } : undefined;
  if (fieldId === undefined) return undefined;
  const [from = null, to = null] = [valuesFrom?.[fieldId], valuesTo?.[fieldId]];
  return from === null && to === null ? undefined : { from, to };
}

function comparison({ from, to }: Settings, property: Property): (change: FieldChange) => boolean {
  const [isFrom, isTo] = [from, to].map((values) => oneOf(values, property));
  return (change) => isFrom?.(change.from) !== false && isTo?.(change.to) !== false;
}

/** Returns a function that says whether a stored value, or one value of a stored list, is in `values`. */
function oneOf(
  values: ComparedValue | ComparedValue[] | undefined,
  { filter }: Property,
): ((value: Compared) => boolean) | undefined {
  if (values === undefined) return undefined;
  const wanted = each(values).map((value) => {
    const parsed = value === null ? null : filter?.parse(String(value));
    return parsed instanceof Invalid ? undefined : (parsed ?? null);
  });
  return (value) =>
    Array.isArray(value) ? wanted.some((each) => value.includes(each)) : wanted.includes(value as never);
}

function becauseOf(name: string, { event, names }: EventFacts): Verdict['because'] {
  const change = taskChanges(event, names).find((each) => each.name === name);
  const { from, to } = JSON.parse(change?.write() ?? '{}') as { from?: unknown; to?: unknown };
  if (from === undefined && to === undefined) return say`${name} changed`;
  return say`${name} went from ${toldValue(from)} to ${toldValue(to)}`;
}

function toldValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'blank';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text;
}

function checkValues(
  rule: RuleDefinition<Settings>,
  key: 'from' | 'to',
  scope: WorkflowScope,
  report: Report,
): void {
  const values = rule[key];
  if (values === undefined) return;
  for (const name of each(rule.field)) {
    const field = scope.fields.get(name);
    if (name !== ASSIGNEE && (!field || field.type === 'file'))
      report(rule, key, `cannot be used with ${name}, which has no single value`);
    each(values).forEach((value, index) => {
      const tell = Array.isArray(values) ? report.at(values, index) : report.at(rule, key);
      if (value === null) return;
      if (name === ASSIGNEE) checkUser(String(value), scope.workspace, tell);
      else if (field && field.type !== 'multipleSelect' && field.type !== 'file')
        checkValue(value, field, scope.workspace.users, tell);
      else if (field?.type === 'multipleSelect')
        checkValue([String(value)], field, scope.workspace.users, tell);
    });
  }
}

import { type Expression } from '../../../workflows/expressions/expression.js';
import { type TaskSchema } from '../../../workflows/fields/task-schema.js';
import { type Workflow } from '../../../workflows/model/workspace.js';
import { expressionIfAny, readableInSteps } from '../../linked-reads.js';
import { type ActionDefinition, type StepDefinition } from '../../../workflows/model/action-definition.js';
import { type ApprovalsDefinition, excludedWords, type GroupDefinition } from './approvals-schema.js';
import { sourcesIn } from '../../step-values.js';

export interface ApprovalPlan {
  readonly action: ActionDefinition;
  readonly groups: readonly ApprovalGroup[];
}

export interface ApprovalGroup {
  readonly id: string;
  readonly count: number;
  readonly roles: readonly string[];
  readonly userIds: readonly string[];
  /** The id of the field whose person may decide. */
  readonly fieldId: string | undefined;
  readonly not: ReadonlySet<string>;
  /** The names of the fields whose persons may not decide. */
  readonly notFields: readonly string[];
  /** The ids of the fields that determine whether the group is needed and who may approve. */
  readonly reads: readonly string[];
  /** Parts of the task, named as in the SQL function `changed_parts`. If one changes, an approval ends. */
  readonly covers: readonly string[];
  readonly isByPeople: boolean;
  /** The condition under which the group is needed; `broken` if this version cannot compile it. */
  readonly when: Expression | 'broken' | undefined;
}

/** The part that stands for the Unique ID, all fields and files, and the set of linked tasks. */
export const EVERYTHING = '*';

function compileGroup(
  definition: GroupDefinition,
  steps: readonly StepDefinition[],
  schema: TaskSchema,
): ApprovalGroup {
  const { id, count, roles = [], users = [], field, not = [], covers, by, when } = definition;
  const [fieldId] = idsOf(field === undefined ? [] : [field], schema);
  const notFields = not.filter((name) => !excludedWords.some((word) => word === name));
  const condition = when === undefined ? undefined : expressionIfAny(schema, when);
  const read = readsCovered(definition, steps, schema);
  const parts = covers?.flatMap((name) => partOf(name, schema)) ?? [EVERYTHING];
  return {
    id,
    count,
    roles,
    fieldId,
    notFields,
    userIds: users.flatMap((email) => schema.users.find(email)?.id ?? []),
    not: new Set(not),
    reads: [...idsOf([...notFields, ...(condition?.fields ?? [])], schema), ...(fieldId ? [fieldId] : [])],
    covers: [...new Set([...parts, ...read.flatMap((each) => partsRead(each, schema))])],
    isByPeople: by !== 'anyone',
    when: when === undefined ? undefined : (condition ?? 'broken'),
  };
}

function idsOf(names: readonly string[], { byName }: TaskSchema): string[] {
  return names.flatMap((name) => byName.get(name)?.fieldId ?? []);
}

const builtInParts = new Map([
  ['Assigned To', '@'],
  ['Stage', '~'],
]);

function partOf(name: string, { byName, uniqueId }: TaskSchema): string[] {
  const { links, fieldId } = byName.get(name) ?? {};
  const part = links?.side ?? (name === uniqueId?.name ? '#' : (builtInParts.get(name) ?? fieldId));
  return part === undefined ? [] : [part];
}

/** Returns the parts that an expression reads. A part of a linked task has the form `side/part`. */
function partsRead({ fields, linked }: Expression, schema: TaskSchema): string[] {
  const own = [...fields].flatMap((name) => partOf(name, schema));
  const far = [...linked].flatMap(([name, names]) => {
    const key = schema.byName.get(name)?.links;
    if (!key) return [];
    const farPart = (each: string): string =>
      each === key.uniqueId() ? '#' : (builtInParts.get(each) ?? key.property(each)?.fieldId ?? each);
    return [`${key.side}/`, ...[...names].map((each) => `${key.side}/${farPart(each)}`)];
  });
  return [...own, ...far];
}

export function nameOfPart(part: string, { properties, links, uniqueId }: TaskSchema): string {
  const [side = ''] = part.split('/');
  if (part === '#') return uniqueId?.name ?? 'Unique ID';
  if (part === '@') return 'Assigned To';
  const name = links.get(side)?.name ?? properties.find(({ fieldId }) => fieldId === part)?.name;
  return name ?? 'a removed field';
}

export function coversSide({ covers }: ApprovalGroup, side: string): boolean {
  return covers.some((part) => part === EVERYTHING || part.split('/')[0] === side);
}

/** Returns the relationship sides for which at least one group covers values of the linked tasks. */
export function coveredSides(groups: readonly ApprovalGroup[]): string[] {
  const parts = groups.flatMap(({ covers }) => covers);
  return [...new Set(parts.filter((part) => /^[<>]/.test(part)).map((part) => part.split('/')[0] ?? ''))];
}

export function approvedActions(workflow: Workflow): ApprovalPlan[] {
  return workflow.actions.flatMap(({ id }) => approvalsOf(workflow, id) ?? []);
}

/** Returns the compiled approvals of an action; undefined if it needs none. */
export function approvalsOf(workflow: Workflow, actionId: string): ApprovalPlan | undefined {
  const known = compiled.get(workflow.actions) ?? new Map<string, ApprovalPlan | undefined>();
  compiled.set(workflow.actions, known);
  const action = known.has(actionId) ? undefined : workflow.actions.find(({ id }) => id === actionId);
  if (action) known.set(actionId, compileApprovals(action, workflow.schema));
  return known.get(actionId);
}

const compiled = new WeakMap<Workflow['actions'], Map<string, ApprovalPlan | undefined>>();

export function compileApprovals(action: ActionDefinition, schema: TaskSchema): ApprovalPlan | undefined {
  // The cast needs no check, because the schema guarantees this type.
  const wanted = action.requirements['approvals'] as ApprovalsDefinition | undefined;
  if (!wanted) return undefined;
  const groups = wanted.of.map((group) => compileGroup(group, action.steps, schema));
  return { action, groups };
}

/**
 * Returns what a group covers besides `covers`: the values that the group's condition reads. If a step sets a
 * covered key, the group also covers what the value and the step's `when` depend on. If one of these
 * values changed later, the approved values could change, too.
 */
function readsCovered(
  { covers, when }: GroupDefinition,
  steps: readonly StepDefinition[],
  schema: TaskSchema,
): Expression[] {
  const reads: Expression[] = [];
  const known = new Set(covers);
  const add = (source: string): void => {
    const read = expressionIfAny(schema, source, ...readableInSteps);
    if (read) reads.push(read);
    for (const name of [...(read?.fields ?? []), ...(read?.linked.keys() ?? [])]) known.add(name);
  };
  if (when !== undefined) add(when);
  // Iterates backwards, because a value that a step reads may be set by an earlier step.
  for (const { when: condition, ...step } of steps.toReversed())
    for (const [key, value] of valuesSet(step)) {
      const isFar = 'relationship' in step;
      if (isFar ? ![...known].some((name) => schema.byName.get(name)?.links) : covers && !known.has(key))
        continue;
      for (const source of sourcesIn({ value }, schema, 'all')) add(source);
      if (condition !== undefined) add(condition);
    }
  return reads;
}

function valuesSet(step: object): [string, unknown][] {
  if ('to' in step) return [['Assigned To', step.to]];
  return 'set' in step && typeof step.set === 'object' ? Object.entries(step.set ?? {}) : [];
}

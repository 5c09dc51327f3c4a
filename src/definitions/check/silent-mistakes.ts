import { parseRungAt } from '../../calendars/clock.js';
import { parseDuration, type Quantity, quantityOf } from '../../calendars/duration.js';
import { compileExpression } from '../../expressions/expression.js';
import { ExpressionError } from '../../expressions/expression-error.js';
import { noLinks } from '../../expressions/scope.js';
import { type ComparedValue, each } from '../../rules/trigger.js';
import { fieldTypes, isNumbered } from '../../schema/field-types.js';
import { kindOfField, type Report, type WorkflowScope } from '../../workspace/check/kit.js';
import { type ClockDefinition } from '../../workspace/clock-definition.js';
import { type ActionDefinition } from '../../workspace/definition.js';
import { type FieldDefinition } from '../../workspace/field-definition.js';
import { type RuleDefinition } from '../../workspace/rule-definition.js';
import { namesCreated, namesSet } from './warn-of-locks.js';
import { stagesNamed } from './warn-of-starts.js';

/** Warns of settings that are valid each, and together never have an effect, or make something impossible. */
export function* warnOfSilentMistakes(scope: WorkflowScope, report: Report): Generator<void> {
  const { fields, clocks, rules, actions } = scope.workflow;
  for (const field of fields) warnOfNoCreation(field, scope, report);
  for (const clock of clocks) warnOfEarlyRungs(clock, report);
  for (const rule of rules) {
    yield;
    warnOfFixedFields(rule, scope, report);
    warnOfContradiction(rule, impliedBy(rule, scope), scope, report);
  }
  for (const action of actions) {
    yield;
    warnOfConditions(action, scope, report);
  }
}

function warnOfNoCreation(field: FieldDefinition, { workspace }: WorkflowScope, report: Report): void {
  const isGiven = isNumbered(field) || fieldTypes.get(field.type)?.blank === false || field.default != null;
  if (!field.required || field.change !== 'by_actions' || isGiven) return;
  if (namesCreated(workspace).has(field.name)) return;
  const remedy = 'give it a default, or require it in the actions that need it (required_fields)';
  report(field, 'change', `and required: true let nobody create a task: ${remedy}`, 'warning');
}

function warnOfEarlyRungs({ budget, rungs }: ClockDefinition, report: Report): void {
  const texts = typeof budget === 'object' ? [...Object.values(budget.of), budget.else ?? 'none'] : [budget];
  for (const rung of rungs) {
    const { value: at } = parseRungAt(rung.at);
    if (!at || 'percent' in at || at.from === 'start' || at.after.amount > 0) continue;
    const before = quantityOf(at.after);
    const short = texts.find((text) => {
      const { value } = parseDuration(text ?? '');
      const limit = value && quantityOf(value);
      return limit && kindOf(limit) === kindOf(before) && limit.amount < -before.amount;
    });
    if (short !== undefined)
      report(rung, 'at', `is before the start of the clock, whose budget is ${short}: ${rung.at}`, 'warning');
  }
}

/** Days of the calendar are compared with hours. */
const kindOf = ({ measure }: Quantity): string => (measure === 'wall' ? 'elapsed' : measure);

/** A setting of a trigger, whose type its file declares. */
const settingOf = (rule: RuleDefinition, key: string): unknown =>
  new Map<string, unknown>(Object.entries(rule)).get(key);

function warnOfFixedFields(rule: RuleDefinition, scope: WorkflowScope, report: Report): void {
  if (rule.on !== 'field_changed') return;
  const fixed = each(settingOf(rule, 'field'))
    .map(String)
    .filter((name) => {
      const { editable, change } = scope.fields.get(name) ?? {};
      return editable === false || (change === 'by_actions' && !namesSet(scope.workspace).has(name));
    });
  const message = `waits for ${fixed.join(', ')}, which nothing changes in an existing task`;
  if (fixed.length > 0) report(rule, 'field', message, 'warning');
}

/** A field of the task has one of these values whenever the expression is evaluated. */
interface Known {
  readonly field: string;
  readonly values: readonly ComparedValue[];
}

function impliedBy(rule: RuleDefinition, scope: WorkflowScope): Known | undefined {
  const named = stagesNamed(rule);
  if (rule.on === 'stage_entered') return { field: 'Stage', values: named };
  const others = [...scope.stages].filter((name) => !named.includes(name));
  if (rule.on === 'stage_left') return { field: 'Stage', values: others };
  const [field, ...further] = each(settingOf(rule, 'field')).map((name) => scope.fields.get(String(name)));
  if (rule.on !== 'field_changed' || further.length > 0 || !field) return undefined;
  if (!['text', 'boolean'].includes(kindOfField(field) ?? '')) return undefined;
  return { field: field.name, values: each(settingOf(rule, 'to')).filter(isCompared) };
}

const isCompared = (value: unknown): value is ComparedValue =>
  value === null || typeof value === 'string' || typeof value === 'boolean';

function warnOfConditions(action: ActionDefinition, scope: WorkflowScope, report: Report): void {
  const conditions = action.requirements['conditions'];
  if (!Array.isArray(conditions)) return;
  for (const condition of conditions as { when: string }[])
    warnOfContradiction(condition, { field: 'Stage', values: action.stages }, scope, report);
}

/** Warns of an expression that is false for all that is known. */
function warnOfContradiction(
  holder: { readonly when?: string },
  known: Known | undefined,
  scope: WorkflowScope,
  report: Report,
): void {
  const { when = '' } = holder;
  // Without an alternative, one part that is false makes the whole false.
  const parts = /\|\||\?/.test(when) ? [when] : when.split('&&');
  if (known && parts.some((part) => isNeverTrue(part, known, scope)))
    report(holder, 'when', `is never true: ${known.field} is ${known.values.join(' or ')} here`, 'warning');
}

function isNeverTrue(
  source: string,
  { field, values }: Known,
  { stages, fields: all }: WorkflowScope,
): boolean {
  if (values.length === 0 || !source.includes(field) || /\b(?:performer|today|now|overdue)\b/.test(source))
    return false;
  try {
    const expression = compileExpression(source, noLinks);
    const { fields, linked, comparisons } = expression;
    if (linked.size > 0 || fields.size !== 1 || !fields.has(field)) return false;
    const among = field === 'Stage' ? [...stages] : all.get(field)?.['options'];
    // Misspelt texts are told elsewhere.
    if (Array.isArray(among) && comparisons.some(({ texts }) => texts.some((text) => !among.includes(text))))
      return false;
    return values.every((value) => {
      const task = new Map([[field, value]]);
      return expression.evaluate({ task, performer: null, today: '', now: '' }) === false;
    });
  } catch (error) {
    if (error instanceof ExpressionError) return false;
    throw error;
  }
}

import { compileExpression, type Expression } from '../../expressions/expression.js';
import { type LiteralComparison, type ReadField } from '../../expressions/results.js';
import { type ValueKind } from '../../../common/column-values.js';
import { type Fact, type OtherTask, type ExpressionScope } from '../../expressions/scope.js';
import { didYouMean, suggestion } from '../../../common/did-you-mean.js';
import { english } from '../../../common/message.js';
import { excerpt } from '../../../common/wording.js';
import { ExpressionError } from '../../expressions/expression-error.js';
import { isSecretPart } from '../../expressions/secret-variable.js';
import { compileTemplate, type Template } from '../../expressions/template.js';
import { builtInNames, changeableBuiltIns } from '../../fields/properties/built-ins.js';
import { deadlinesOf } from '../draft-schema.js';
import {
  checkField,
  kindOfField,
  renamedHint,
  type Report,
  stageHint,
  unnamed,
  type WorkflowScope,
} from './kit.js';

/** The subjects of an expression beyond its task. */
export interface OtherScope {
  readonly name?: OtherTask;
  readonly workflow?: WorkflowScope;
  readonly facts?: readonly Fact[];
}

/** Reports why an expression does not compile and every name that the workflow lacks. */
export function checkExpression(
  holder: object,
  key: string | number,
  source: string,
  own: WorkflowScope,
  report: Report,
  other?: OtherScope,
): Expression | undefined {
  const scope: ExpressionScope = {
    follow: (name) => relationshipOf(own, name),
    other: other?.name,
    ...(other?.facts && { facts: other.facts }),
  };
  const compile = (): Expression => compileExpression(source, scope);
  const expression = attempt(compile, holder, key, 'is not an expression: ', report);
  if (!expression) return undefined;
  const check = (names: Iterable<string>, target: WorkflowScope | undefined): void => {
    for (const name of names) if (target) checkRead(holder, key, name, target, target === own, report);
  };
  check(expression.fields, own);
  for (const message of expression.misreads) report(holder, key, message);
  checkDeadlines(holder, key, expression, own, report);
  for (const comparison of expression.comparisons) {
    const target = workflowRead(comparison.of, own, other?.workflow);
    if (target) checkComparison(holder, key, comparison, target, report);
    warnOfTimes(holder, key, comparison, (of) => workflowRead(of, own, other?.workflow), report);
  }
  checkTruths(holder, key, expression.conditions, (of) => workflowRead(of, own, other?.workflow), report);
  check(expression.ofOther, other?.workflow);
  for (const [name, fields] of expression.linked) check(fields, relationshipOf(own, name)?.far);
  return expression;
}

/** Compiles an expression that must be true or false; reports like `checkExpression`. */
export function checkCondition(
  holder: object,
  key: string | number,
  source: string,
  own: WorkflowScope,
  report: Report,
  other?: OtherScope,
): Expression | undefined {
  const expression = checkExpression(holder, key, source, own, report, other);
  if (!expression) return undefined;
  const { type, yields, results } = expression;
  const noun = type === undefined ? nounIn(results) : (typeNouns.get(type) ?? 'a list');
  if (type !== 'bool' && noun !== undefined)
    report(holder, key, `is not a condition: it gives ${noun}, not true or false`);
  checkTruths(holder, key, yields, (of) => workflowRead(of, own, other?.workflow), report);
  return expression;
}

/** What to call a result that depends on a task and is neither a field nor true or false. */
function nounIn(results: Expression['results']): string | undefined {
  const [only, ...others] = results.map(({ is }) => is);
  const isKnown = only === 'number' || only === 'text' || only === 'list';
  return isKnown && others.length === 0 ? nouns[only] : undefined;
}

/** Reports fields that are used as true or false but have another type. */
function checkTruths(
  holder: object,
  key: string | number,
  fields: readonly ReadField[],
  workflowOf: WorkflowOf,
  report: Report,
): void {
  for (const { of, field } of fields) {
    const target = workflowOf(of);
    const kind = target && kindOf(target, field);
    if (kind && kind !== 'boolean')
      report(
        holder,
        key,
        `uses ${field}, ${nouns[kind]}, as true or false: compare it, or test whether it is blank with == null`,
      );
  }
}

function checkDeadlines(
  holder: object,
  key: string | number,
  { deadlines }: Expression,
  { workflow }: WorkflowScope,
  report: Report,
): void {
  const known = deadlinesOf(workflow);
  for (const id of deadlines)
    if (id !== null && !known.includes(id))
      report(
        holder,
        key,
        `asks for an unknown clock of workflow ${workflow.id}: ${id}${didYouMean(id, known)}`,
      );
}

/** The workflow of the task whose field is read. */
type WorkflowOf = (of: ReadField['of']) => WorkflowScope | undefined;

/** Warns if a day is compared with an instant: their texts have different forms and are never equal. */
function warnOfTimes(
  holder: object,
  key: string | number,
  { of, field, other }: LiteralComparison,
  workflowOf: WorkflowOf,
  report: Report,
): void {
  const is = timeIn(workflowOf(of), field);
  const isField = other !== undefined && 'field' in other;
  const otherIs = isField ? timeIn(workflowOf(other.of), other.field) : other?.is;
  if (!other || !is || !otherIs || is === otherIs) return;
  const written = isField ? other.field : other.written;
  const [day, moment] = is === 'date' ? [field, written] : [written, field];
  const isMomentField = isField || is === 'datetime';
  const remedy = isMomentField
    ? `the date of ${moment} is its .substring(0, 10)`
    : `write ${moment === 'now()' ? 'today()' : 'the date alone'}`;
  const message = `compares ${day}, a date, with ${moment}, a datetime, as texts: ${remedy}`;
  report(holder, key, message, 'warning');
}

function timeIn(target: WorkflowScope | undefined, name: string): 'date' | 'datetime' | undefined {
  const type = target?.fields.get(name)?.type;
  return type === 'date' || type === 'datetime' ? type : undefined;
}

function workflowRead(
  of: ReadField['of'],
  own: WorkflowScope,
  other: WorkflowScope | undefined,
): WorkflowScope | undefined {
  if (of === 'task') return own;
  return typeof of === 'string' ? other : relationshipOf(own, of.relationship)?.far;
}

/** Reports a comparison that can never be true, and warns about one with an unknown option or user. */
function checkComparison(
  holder: object,
  key: string | number,
  { field, kind, texts }: LiteralComparison,
  target: WorkflowScope,
  report: Report,
): void {
  const wanted = kindOf(target, field);
  if (kind && wanted && wanted !== kind)
    report(holder, key, `compares ${field}, ${nouns[wanted]}, with ${nouns[kind]}, which never fits`);
  if (!kind || kind === wanted || !wanted) warnOfTexts(holder, key, field, texts, target, report);
}

/** Warns about texts that a field is compared with but can never hold. */
function warnOfTexts(
  holder: object,
  key: string | number,
  field: string,
  texts: readonly string[],
  target: WorkflowScope,
  report: Report,
): void {
  const { fields, stages, workflow } = target;
  const options = fields.get(field)?.['options'];
  const known = field === 'Stage' ? stages : new Set(Array.isArray(options) ? options.map(String) : []);
  const what = field === 'Stage' ? `a stage of workflow ${workflow.id}` : 'one of its options';
  if (known.size === 0 || known.has(unnamed)) return;
  for (const text of texts.filter((text) => text !== '' && !known.has(text))) {
    if (report.isEnough?.() === true) return;
    const hint = field === 'Stage' ? stageHint(text, target) : didYouMean(text, known);
    const message = `compares ${field} with ${excerpt(text)}, which is not ${what}${hint}`;
    report(holder, key, message, 'warning');
  }
}

const typeNouns = new Map([
  ['string', 'a text'],
  ['int', 'a number'],
  ['decimal', 'a number'],
  ['null', 'null'],
]);

const nouns = { text: 'a text', number: 'a number', boolean: 'true or false', list: 'a list' } as const;

function kindOf({ fields }: WorkflowScope, name: string): ValueKind | undefined {
  if (changeableBuiltIns.has(name)) return 'text';
  const field = fields.get(name);
  return field && kindOfField(field);
}

function checkRead(
  holder: object,
  key: string | number,
  name: string,
  target: WorkflowScope,
  isOwn: boolean,
  report: Report,
): void {
  const { fields, workflow } = target;
  if (fields.has(name) || changeableBuiltIns.has(name) || fields.has(unnamed)) return;
  const known = [...fields.keys(), ...changeableBuiltIns, ...(isOwn ? target.links : [])];
  const isDeeper = relationshipOf(target, name) !== undefined;
  const hint = isDeeper
    ? ' (a relationship of a linked task is not followed)'
    : (renamedHint(name, workflow.fields) ?? didYouMean(name, known));
  report(holder, key, `reads an unknown field of workflow ${workflow.id}: ${name}${hint}`);
}

function relationshipOf(
  { workspace, workflow }: WorkflowScope,
  name: string,
): { readonly isMultiple: boolean; readonly far: WorkflowScope | undefined } | undefined {
  for (const { kind, from, to } of workspace.relationships.values()) {
    // A misspelt name is reported elsewhere.
    if (from.workflow === workflow.id && from.name === name)
      return { isMultiple: /to.?many$/i.test(kind), far: workspace.workflows.get(to.workflow) };
    if (to.workflow === workflow.id && to.name === name)
      return { isMultiple: /^many/i.test(kind), far: workspace.workflows.get(from.workflow) };
  }
  return undefined;
}

export function keysOfTask(scope: WorkflowScope): string[] {
  return [...builtInNames, ...scope.fields.keys(), ...scope.links];
}

/** Compiles a text with `{{…}}` and reports its faults; only a text that leaves the service by HTTP may hold secrets. */
export function checkTemplate(
  holder: object,
  key: string | number,
  text: string,
  scope: WorkflowScope,
  report: Report,
  mayHoldSecrets = false,
): Template | undefined {
  const { fields, workflow } = scope;
  const template = attempt(() => compileTemplate(text), holder, key, '', report);
  for (const name of template?.names ?? []) {
    if (fields.has(name) || builtInNames.has(name) || fields.has(unnamed)) continue;
    if (typeOfFarField(name, scope) !== undefined) continue;
    const hint = templateHint(name, scope);
    report(holder, key, `names an unknown field of workflow ${workflow.id}: {{${name}}}${hint}`);
  }
  for (const name of template?.secrets ?? [])
    for (const message of secretFaults(name)) report(holder, key, message);
  if (!mayHoldSecrets && template && template.secrets.size > 0)
    report(holder, key, 'contains a secret, which only a text that is sent by HTTP can contain');
  return template;
}

/**
 * The type of the field that `Flat.Address` means, on the one task linked under `Flat`. For a built-in key, its name;
 * an empty text if fields of the other workflow could not be read; undefined if there is no such field.
 */
function typeOfFarField(name: string, scope: WorkflowScope): string | undefined {
  for (const { index: at } of name.matchAll(/\./g)) {
    const { isMultiple, far } = relationshipOf(scope, name.slice(0, at)) ?? { isMultiple: true };
    const field = name.slice(at + 1);
    const type = far?.fields.get(field)?.type ?? (builtInNames.has(field) ? field : undefined);
    if (!isMultiple && far && (type !== undefined || far.fields.has(unnamed))) return type ?? '';
  }
  return undefined;
}

/** Reports a field, of the task or of its one linked task, that does not exist or has another type than these. */
export function checkFieldOfType(
  holder: { readonly field: string },
  types: readonly string[],
  isNot: string,
  scope: WorkflowScope,
  report: Report,
): void {
  const { field } = holder;
  const far = scope.fields.has(field) ? undefined : typeOfFarField(field, scope);
  if (far === undefined) checkField(holder, 'field', field, scope, report);
  const type = far ?? scope.fields.get(field)?.type;
  if (type !== undefined && ![...types, 'Assigned To', ''].includes(type))
    report(holder, 'field', `${isNot}: ${field}`);
}

/** A suggestion for an unknown name between {{ and }}. */
function templateHint(name: string, scope: WorkflowScope): string {
  const [start = '', ...rest] = name.split('.');
  const field = rest.join('.');
  if (relationshipOf(scope, name)) return ', which is a relationship';
  if (field !== '' && /^secrets?$/i.test(start)) return english(suggestion(`secret.${field}`));
  const relationship = field === '' ? undefined : relationshipOf(scope, start);
  if (relationship?.isMultiple)
    return `: ${start} has several tasks; use an expression in set to choose among them`;
  if (relationship) return didYouMean(field, [...(relationship.far?.fields.keys() ?? []), ...builtInNames]);
  if (looksLikeExpression(name)) return `: write { expression: '${name}' }`;
  return (
    renamedHint(name, scope.workflow.fields) ?? didYouMean(name, [...scope.fields.keys(), ...builtInNames])
  );
}

/** Whether a text was probably meant as an expression. */
export function looksLikeExpression(text: string): boolean {
  return /^(?:performer|(?:today|now|overdue|add_days|days_between|round)\(.*\)|task(?:\[".*|\.\w.*))$/s.test(
    text.trim(),
  );
}

/** Warns about a text with {{…}} where placeholders are not replaced. */
export function warnOfTemplate(holder: object, key: string | number, text: string, report: Report): void {
  if (text.includes('{{')) report(holder, key, 'is shown unchanged: {{…}} is not filled in here', 'warning');
}

/** Compiles a text that may contain secrets but no other references, and reports its faults. */
export function checkSecretTemplate(
  holder: object,
  key: string | number,
  text: string,
  report: Report,
): Template | undefined {
  const template = attempt(() => compileTemplate(text), holder, key, '', report);
  for (const name of template?.names ?? [])
    report(holder, key, `can contain only {{secret.NAME}}, but contains {{${name}}}`);
  for (const name of template?.secrets ?? [])
    for (const message of secretFaults(name)) report(holder, key, message);
  return template;
}

export function checkSecretName(holder: object, key: string, name: string, report: Report): void {
  for (const message of secretFaults(name)) report(holder, key, message);
}

function secretFaults(name: string): string[] {
  const unclear = `names a secret that begins or ends with - or _, or has two in a row: ${name}`;
  const file = `names a secret that ends in _FILE, like the variable for a secret in a file: ${name}`;
  return [...(isSecretPart(name) ? [] : [unclear]), ...(/[-_]file$/i.test(name) ? [file] : [])];
}

function attempt<T>(
  compile: () => T,
  holder: object,
  key: string | number,
  prefix: string,
  report: Report,
): T | undefined {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    report(holder, key, `${prefix}${error.message}`, 'fault', error.line);
    return undefined;
  }
}

import { compileExpression, type Expression } from '../../expressions/expression.js';
import { type Fact, type OtherTask, type ExpressionScope } from '../../expressions/scope.js';
import { didYouMean, suggestion } from '../../../common/did-you-mean.js';
import { english } from '../../../common/message.js';
import { ExpressionError } from '../../expressions/expression-error.js';
import { isSecretPart } from '../../expressions/secret-variable.js';
import { compileTemplate, type Template } from '../../expressions/template.js';
import { builtInNames, changeableBuiltIns } from '../../fields/properties/built-ins.js';
import { deadlinesOf } from '../draft-schema.js';
import { checkField, renamedHint, type Report, type Tell, unnamed, type WorkflowScope } from './kit.js';

/** What else an expression can read: facts of an event, and a second task. That task is in `workflow`. */
export interface OtherScope {
  readonly name?: OtherTask;
  readonly workflow?: WorkflowScope;
  readonly facts?: readonly Fact[];
}

/** Compiles an expression. Reports why it does not compile, or else every unknown name in it. */
export function checkExpression(
  source: string,
  own: WorkflowScope,
  tell: Tell,
  other?: OtherScope,
): Expression | undefined {
  const scope: ExpressionScope = {
    follow: (name) => relationshipOf(own, name),
    other: other?.name,
    ...(other?.facts && { facts: other.facts }),
  };
  const expression = attempt(() => compileExpression(source, scope), tell, 'is not an expression: ');
  if (!expression) return undefined;
  const { deadlines, fields, linked, ofOther } = expression;
  checkReads(fields, own, own.links, tell);
  checkDeadlines(deadlines, own, tell);
  checkReads(ofOther, other?.workflow, [], tell);
  for (const [name, ofFar] of linked) checkReads(ofFar, relationshipOf(own, name)?.far, [], tell);
  return expression;
}

/** Like `checkExpression`, but also reports an expression if its type is known and is not boolean. */
export function checkCondition(
  source: string,
  own: WorkflowScope,
  tell: Tell,
  other?: OtherScope,
): Expression | undefined {
  const expression = checkExpression(source, own, tell, other);
  const type = expression?.type ?? 'bool';
  if (type !== 'bool')
    tell(`is not a condition: it gives ${typeNouns.get(type) ?? 'a list'}, not true or false`);
  return expression;
}

function checkDeadlines(ids: Iterable<string | null>, { workflow }: WorkflowScope, tell: Tell): void {
  const known = deadlinesOf(workflow);
  for (const id of ids)
    if (id !== null && !known.includes(id))
      tell(`asks for an unknown clock of workflow ${workflow.id}: ${id}${didYouMean(id, known)}`);
}

const typeNouns = new Map([
  ['string', 'a text'],
  ['int', 'a number'],
  ['decimal', 'a number'],
  ['null', 'null'],
]);

/** Reports unknown fields. `links` are names of relationships that a hint may suggest instead. */
function checkReads(
  names: Iterable<string>,
  target: WorkflowScope | undefined,
  links: Iterable<string>,
  tell: Tell,
): void {
  if (!target) return;
  const { fields, workflow } = target;
  for (const name of names) {
    if (fields.has(name) || changeableBuiltIns.has(name) || fields.has(unnamed)) continue;
    const hint =
      renamedHint(name, workflow.fields) ??
      didYouMean(name, [...fields.keys(), ...changeableBuiltIns, ...links]);
    tell(`reads an unknown field of workflow ${workflow.id}: ${name}${hint}`);
  }
}

function relationshipOf(
  { workspace, ends }: WorkflowScope,
  name: string,
): { readonly isMultiple: boolean; readonly far: WorkflowScope | undefined } | undefined {
  const end = ends.find((each) => each.name === name);
  return end && { isMultiple: end.isMultiple, far: workspace.workflows.get(end.far) };
}

export function keysOfTask(scope: WorkflowScope): string[] {
  return [...builtInNames, ...scope.fields.keys(), ...scope.links];
}

/** Compiles a text with `{{…}}` and reports its faults. Only a text sent by HTTP may contain secrets. */
export function checkTemplate(
  text: string,
  scope: WorkflowScope,
  tell: Tell,
  mayHoldSecrets = false,
): Template | undefined {
  const { fields, workflow } = scope;
  const template = compileText(text, tell);
  for (const name of template?.names ?? []) {
    if (fields.has(name) || builtInNames.has(name) || fields.has(unnamed)) continue;
    if (typeOfFarField(name, scope) !== undefined) continue;
    const hint = templateHint(name, scope);
    tell(`names an unknown field of workflow ${workflow.id}: {{${name}}}${hint}`);
  }
  if (!mayHoldSecrets && template && template.secrets.size > 0)
    tell('contains a secret, which only a text that is sent by HTTP can contain');
  return template;
}

/** Compiles a text that may contain secrets but no other references, and reports its faults. */
export function checkSecretTemplate(text: string, tell: Tell): Template | undefined {
  const template = compileText(text, tell);
  for (const name of template?.names ?? [])
    tell(`can contain only {{secret.NAME}}, but contains {{${name}}}`);
  return template;
}

function compileText(text: string, tell: Tell): Template | undefined {
  const template = attempt(() => compileTemplate(text), tell);
  for (const name of template?.secrets ?? []) checkSecretName(name, tell);
  return template;
}

export function checkSecretName(name: string, tell: Tell): void {
  if (!isSecretPart(name))
    tell(`names a secret that begins or ends with - or _, or contains two of them in a row: ${name}`);
  if (/[-_]file$/i.test(name))
    tell(
      `names a secret that ends in _FILE, which is reserved for variables with the path of a file: ${name}`,
    );
}

/**
 * The type of a field of a linked task, such as `Flat.Address`. For a built-in key, returns the key. Returns
 * undefined if there is no such field. Returns an empty text if the field may exist under a name that could
 * not be read.
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

/**
 * Reports a field that does not exist, or that has none of these types. The `Assigned To` of a linked task is
 * also accepted.
 */
export function checkFieldOfType(
  holder: { readonly field: string },
  types: readonly string[],
  isNot: string,
  scope: WorkflowScope,
  report: Report,
): void {
  const { field } = holder;
  const far = scope.fields.has(field) ? undefined : typeOfFarField(field, scope);
  if (far === undefined) checkField(field, scope, report.at(holder, 'field'));
  const type = far ?? scope.fields.get(field)?.type;
  if (type !== undefined && ![...types, 'Assigned To', ''].includes(type))
    report(holder, 'field', `${isNot}: ${field}`);
}

/** A suggestion for an unknown name between {{ and }}. */
function templateHint(name: string, scope: WorkflowScope): string {
  if (relationshipOf(scope, name)) return ', which is a relationship';
  if (/^secrets\./i.test(name)) return english(suggestion(`secret.${name.slice('secrets.'.length)}`));
  if (looksLikeExpression(name)) return `: write { expression: '${name}' }`;
  return (
    renamedHint(name, scope.workflow.fields) ?? didYouMean(name, [...scope.fields.keys(), ...builtInNames])
  );
}

export function looksLikeExpression(text: string): boolean {
  return /^(?:performer|(?:today|now|overdue|add_days|days_between|round)\(.*\)|task(?:\[".*|\.\w.*))$/s.test(
    text.trim(),
  );
}

function attempt<T>(compile: () => T, tell: Tell, prefix = ''): T | undefined {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    tell(prefix + error.message);
    return undefined;
  }
}

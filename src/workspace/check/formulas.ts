import { compileExpression, type Expression } from '../../expressions/expression.js';
import { ExpressionError } from '../../expressions/expression-error.js';
import { isSecretPart } from '../../expressions/secret-variable.js';
import { compileTemplate, type Template } from '../../expressions/template.js';
import { type Report, type WorkflowScope } from './kit.js';

const readable = new Set(['Stage', 'Assigned To']);
const printable = new Set([...readable, 'Task URL']);

/** Compiles an expression and reports why it does not compile, and every name that the workflow lacks. */
export function checkExpression(
  holder: object,
  key: string | number,
  source: string,
  { fields, workflow }: WorkflowScope,
  report: Report,
): Expression | undefined {
  const expression = attempt(() => compileExpression(source), holder, key, 'is not an expression: ', report);
  for (const name of expression?.fields ?? []) {
    const isKnown = fields.has(name) || readable.has(name);
    if (!isKnown) report(holder, key, `reads what is not a field of workflow ${workflow.id}: ${name}`);
  }
  return expression;
}

/** Compiles a text with `{{…}}` and reports what is wrong with it; secrets are for an `api_call` only. */
export function checkTemplate(
  holder: object,
  key: string | number,
  text: string,
  { fields, workflow }: WorkflowScope,
  report: Report,
  mayHoldSecrets = false,
): Template | undefined {
  const template = attempt(() => compileTemplate(text), holder, key, '', report);
  for (const name of template?.names ?? []) {
    const isKnown = fields.has(name) || printable.has(name);
    if (!isKnown) report(holder, key, `names what is not a field of workflow ${workflow.id}: {{${name}}}`);
  }
  for (const name of template?.secrets ?? [])
    if (!isSecretPart(name))
      report(holder, key, `names a secret that begins or ends with - or _, or holds two in a row: ${name}`);
  if (!mayHoldSecrets && template && template.secrets.size > 0)
    report(holder, key, 'holds a secret outside of an api_call');
  return template;
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
    report(holder, key, `${prefix}${error.message}`);
    return undefined;
  }
}

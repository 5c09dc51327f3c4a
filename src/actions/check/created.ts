import { compileTemplate } from '../../workflows/expressions/template.js';
import { ExpressionError } from '../../workflows/expressions/expression-error.js';
import { storageOf } from '../../workflows/fields/field-types.js';
import { changeableBuiltIns } from '../../workflows/fields/properties/built-ins.js';
import { checkField, type Report, type Tell, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { type CreatedValue } from '../../workflows/model/schema-parts.js';
import { checkConstant } from './set.js';

/** The placeholders that a text may contain. */
interface Placeholders {
  readonly isKnown: (name: string) => boolean;
  /** The last words of a message about a forbidden placeholder. For example: `allowed is {{random}}`. */
  readonly allowed: string;
}

/** Reports malformed and forbidden placeholders in a text; returns true if there are none. */
export function checkPlaceholders(text: string, { isKnown, allowed }: Placeholders, tell: Tell): boolean {
  try {
    const { names, secrets } = compileTemplate(text);
    const others = [...names].filter((name) => !isKnown(name));
    for (const name of [...others, ...[...secrets].map((secret) => `secret.${secret}`)])
      tell(`holds {{${name}}}: ${allowed}`);
    return others.length + secrets.size === 0;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    tell(error.message);
    return false;
  }
}

/** Reports errors in the values of a new task. `fillIn` replaces placeholders with valid values. */
export function checkCreated(
  values: Readonly<Record<string, CreatedValue>>,
  placeholders: Placeholders & { fillIn(text: string): string },
  scope: WorkflowScope,
  report: Report,
): void {
  for (const [name, value] of Object.entries(values)) {
    const tell = report.at(values, name);
    const field = scope.fields.get(name);
    if (!field && !changeableBuiltIns.has(name)) checkField(name, scope, tell);
    else if (field && storageOf(field.type) === 'blobs') tell('is a file field, which cannot be set');
    else if (typeof value !== 'string') checkConstant(value, name, scope, tell);
    else if (checkPlaceholders(value, placeholders, tell))
      checkConstant(placeholders.fillIn(value), name, scope, tell);
  }
}

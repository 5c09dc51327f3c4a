import { type Expression } from '../../../workflows/expressions/expression.js';
import { templateIfAny } from '../../../workflows/expressions/template.js';
import { type StepDefinition } from '../../../workflows/model/action-definition.js';
import { type GroupDefinition } from './approvals-schema.js';

/** What an expression reads: keys of the task, and fields of linked tasks by the name of the relationship. */
export type Reads = Pick<Expression, 'fields' | 'linked'>;

/**
 * What a group covers besides its `covers`: what its condition reads, and what a step of the action copies into
 * something covered. Otherwise a change of the source after the approval would change what was approved. `readsOf`
 * compiles an expression, which may read `linked` and `body`, too.
 */
export function readsCovered(
  { covers, when }: GroupDefinition,
  steps: readonly StepDefinition[],
  isLink: (name: string) => boolean,
  readsOf: (source: string) => Reads | undefined,
): Reads[] {
  const reads: Reads[] = [];
  const known = new Set(covers);
  const add = (source: string): void => {
    const read = readsOf(source);
    if (read) reads.push(read);
    for (const name of [...(read?.fields ?? []), ...(read?.linked.keys() ?? [])]) known.add(name);
  };
  if (when !== undefined) add(when);
  // From the last step to the first: what a step reads counts for the steps before it.
  for (const { when: condition, ...step } of steps.toReversed())
    for (const [key, value] of valuesSet(step)) {
      const isFar = 'relationship' in step;
      if (isFar ? ![...known].some(isLink) : covers && !known.has(key)) continue;
      for (const source of sourcesOf(value, isLink)) add(source);
      if (condition !== undefined) add(condition);
    }
  return reads;
}

function valuesSet(step: object): [string, unknown][] {
  if ('to' in step) return [['Assigned To', step.to]];
  return 'set' in step && typeof step.set === 'object' ? Object.entries(step.set ?? {}) : [];
}

/** The expressions that determine a value. `{{Flat.Rent}}` is a field of the one task linked as Flat, or of the task. */
function sourcesOf(value: unknown, isLink: (name: string) => boolean): string[] {
  if (typeof value === 'object' && value !== null)
    return 'field' in value
      ? sourcesOf(`{{${String(value.field)}}}`, isLink)
      : 'expression' in value
        ? [String(value.expression)]
        : [];
  const names = typeof value === 'string' ? [...(templateIfAny(value)?.names ?? [])] : [];
  return names.flatMap((name) => {
    const at = [...name.matchAll(/\./g)].map(({ index }) => index).find((dot) => isLink(name.slice(0, dot)));
    const far = at === undefined ? [] : [`task[${JSON.stringify(name.slice(0, at))}][${JSON.stringify(name.slice(at + 1))}]`]; // prettier-ignore
    return [`task[${JSON.stringify(name)}]`, ...far];
  });
}

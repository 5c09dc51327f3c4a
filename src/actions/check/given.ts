import { type SetDefinition } from '../../workflows/model/schema-parts.js';
import { checkExpression, type OtherScope } from '../../workflows/model/check/formulas.js';
import { type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { isFormula } from '../step-values.js';
import { checkConstant, checkOwnSet } from './set.js';

interface Starting {
  readonly holder: object & { readonly fields?: SetDefinition };
  readonly key: string;
  readonly action: string;
}

/** Reports values for which the action does not ask, and required values that are missing. */
function checkGiven({ holder, key, action }: Starting, target: WorkflowScope, report: Report): void {
  const started = target.workflow.actions.find(({ id }) => id === action);
  if (!started) return;
  const { name, fields: asked = [] } = started;
  const { fields: given = {} } = holder;
  for (const { field } of asked.filter(({ required }) => required))
    if (!Object.hasOwn(given, field))
      report(holder, key, `leaves out ${field}, which ${name} asks for: write it under fields`);
  for (const field of Object.keys(given))
    if (!asked.some((one) => one.field === field)) report(given, field, `is not asked for by ${name}`);
}

/** Like `checkGiven`, but also reports invalid values. The values are evaluated when the execution starts. */
export function checkGivenLater(starting: Starting, own: WorkflowScope, report: Report): void {
  checkGiven(starting, own, report);
  if (starting.holder.fields) checkOwnSet(starting.holder.fields, own, report);
}

/** Like `checkGiven`, but also reports invalid values. Expressions read an event of the workflow `own`. */
export function checkGivenByRule(
  starting: Starting,
  own: WorkflowScope,
  target: WorkflowScope,
  report: Report,
  event: OtherScope,
): void {
  checkGiven(starting, target, report);
  const { fields = {} } = starting.holder;
  for (const [name, value] of Object.entries(fields)) {
    if (isFormula(value)) {
      const expression = checkExpression(value.expression, own, report.at(value, 'expression'), event);
      if (expression && expression.linked.size > 0)
        report(value, 'expression', 'reads linked tasks, which are not in events');
      continue;
    }
    checkConstant(value, name, target, report.at(fields, name));
  }
}

import { Decimal } from 'decimal.js';
import { type JsonValue } from '../json-value.js';
import { placeOf } from '../place.js';
import { checkTemplate } from './formulas.js';
import { type Report } from './report.js';
import { type WorkflowScope } from './scope.js';

/** Reports what is wrong with the body of an `api_call`, in every text and number that it holds. */
export function checkBody(
  holder: object,
  key: string | number,
  value: JsonValue,
  scope: WorkflowScope,
  report: Report,
): void {
  if (typeof value === 'string') checkTemplate(holder, key, value, scope, report, true);
  else if (typeof value === 'number') checkNumber(holder, key, value, report);
  else if (Array.isArray(value))
    value.forEach((item, index) => {
      checkBody(value, index, item, scope, report);
    });
  else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) checkBody(value, name, item, scope, report);
  }
}

// A JSON number is sent as JavaScript spells it, which keeps some 15 digits.
function checkNumber(holder: object, key: string | number, value: number, report: Report): void {
  const digits = placeOf(holder)?.entries.get(key)?.digits ?? String(value);
  if (!new Decimal(digits).eq(value))
    report(holder, key, 'has more digits than a JSON number keeps: put it in quotes');
}

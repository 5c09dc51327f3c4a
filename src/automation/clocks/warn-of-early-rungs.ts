import { parseRungAt } from '../../workflows/time/clock.js';
import { parseDuration, type Quantity, quantityOf } from '../../workflows/time/duration.js';
import { type Report } from '../../workflows/model/check/kit.js';
import { type ClockDefinition } from './clock-definition.js';

/** Warns of rungs that are before the start of their clock. */
export function warnOfEarlyRungs({ budget, rungs }: ClockDefinition, report: Report): void {
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

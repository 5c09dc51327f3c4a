import { type VNode } from 'preact';
import { Choice } from '../parts/control.js';
import { labelOf } from '../task-shown.js';
import { WEEKS, weeksIn } from './figures.js';

export function FiguresForm({ action, query, groups, hasCalendar }: FormProps): VNode {
  const own = new Set<string>([WEEKS, 'group', '_time', '_imports']);
  return (
    <form action={action} class="form-line line figures-form" aria-label="Period and group">
      {[...query].map(([name, value]) => !own.has(name) && <input type="hidden" name={name} value={value} />)}
      <label>
        Period
        <Choice name={WEEKS} options={periods} chosen={weeksIn(query)} />
      </label>
      {groups.length > 0 && (
        <label>
          Grouped by
          <Choice
            name="group"
            options={groups.map((name) => [name, labelOf(name)])}
            chosen={query.get('group') ?? ''}
            none="Nothing"
          />
        </label>
      )}
      {hasCalendar && (
        <label>
          Time
          <Choice name="_time" options={times} chosen={query.get('_time') ?? 'elapsed'} />
        </label>
      )}
      <label class="tick">
        <input type="checkbox" name="_imports" value="true" checked={query.get('_imports') === 'true'} />
        With imported tasks
      </label>
      <button type="submit">Apply</button>
    </form>
  );
}

const periods = [
  ['4', '4 weeks'],
  ['13', '13 weeks'],
  ['26', '26 weeks'],
  ['52', '52 weeks'],
] as const;
const times = [
  ['elapsed', 'Elapsed time'],
  ['working', 'Working time'],
] as const;

interface FormProps {
  readonly action: string;
  readonly query: URLSearchParams;
  readonly groups: readonly string[];
  readonly hasCalendar: boolean;
}

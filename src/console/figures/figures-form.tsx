import { type VNode } from 'preact';
import { groupableIn } from '../../automation/figures/figure-query.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { figuresPath, ofFigures, withoutNames } from '../board/addresses.js';
import { Choice } from '../parts/control.js';
import { Hidden } from '../parts/form.js';
import { labelOf } from '../task-shown.js';

export const WEEKS = '_weeks';
const weeks = ['4', '13', '26', '52'] as const;
export const weeksIn = (query: URLSearchParams): (typeof weeks)[number] =>
  weeks.find((each) => each === query.get(WEEKS)) ?? '13';

export function FiguresForm({ workflow, query }: FormProps): VNode {
  const periods = weeks.map((count) => [count, `${count} weeks`] as const);
  const groups = groupableIn(workflow.schema).map(({ name }) => [name, labelOf(name)] as const);
  return (
    <form
      action={figuresPath(workflow, new URLSearchParams())}
      class="form-line line figures-form"
      aria-label="Period and group"
    >
      {[...withoutNames(query, ofFigures)].map(([name, value]) => (
        <Hidden fields={{ [name]: value }} />
      ))}
      <label>
        Period
        <Choice name={WEEKS} options={periods} chosen={weeksIn(query)} />
      </label>
      <label>
        Grouped by
        <Choice name="group" options={groups} chosen={query.get('group') ?? ''} none="Nothing" />
      </label>
      {workflow.calendars.size > 0 && (
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

const times = [
  ['elapsed', 'Elapsed time'],
  ['working', 'Working time'],
] as const;

interface FormProps {
  readonly workflow: Workflow;
  readonly query: URLSearchParams;
}

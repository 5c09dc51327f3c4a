import { clocks } from '../../automation/clocks/clocks.kind.js';
import { type VNode } from 'preact';
import { filterNamed } from '../../workflows/fields/filters.js';
import { type AskedField } from '../../workflows/fields/field-type.js';
import { instants } from '../../workflows/fields/properties/built-ins.js';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { Choice, peopleOf } from '../parts/control.js';
import { Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { numberInControl, typedNumber } from '../parts/number.js';
import { useReader, type SignedIn } from '../reader.js';
import { labelOf } from '../task-shown.js';
import { instantAt } from '../parts/time.js';
import { filterPath, type FilterProps, withoutNames } from './addresses.js';
import { dayBegunBy, dayBeside, isInstant, lastDayBefore } from './filter-words.js';

/** What tasks are commonly filtered by: a field, then its value; a choice is applied at once. It stands in the page, over nothing. */
export function FilterForm({ workflow, filters, at }: FilterProps): VNode {
  const reader = useReader();
  return (
    <details class="filter-menu" name="menu">
      <summary class="button quiet">
        <Icon name="filter" /> Add filter
      </summary>
      <div class="filter-fields">
        {controlsOf(reader, workflow).map((control) => (
          <FieldFilter workflow={workflow} filters={filters} at={at} control={control} />
        ))}
      </div>
    </details>
  );
}

function FieldFilter({
  workflow,
  filters,
  at,
  control,
}: FilterProps & { readonly control: FilterInputs }): VNode {
  const entered = new Map(inputsOf(control).flatMap((input) => enteredBy(filters, input)));
  const others = withoutNames(filters, new Set(entered.keys()));
  return (
    <details name="filter-field">
      <summary>{control.label}</summary>
      <form action={filterPath(workflow)} class="filter-field line" aria-label={`Filter: ${control.label}`}>
        <Hidden fields={{ others: others.toString(), at }} />
        <FilterControl control={control} entered={entered} />
        <button type="submit">Apply</button>
      </form>
    </details>
  );
}

/** A filter that is entered by one control, or by two where it has a beginning and an end. */
type FilterInputs =
  | { readonly label: string; readonly one: FilterInput; readonly options?: Options }
  | {
      readonly label: string;
      readonly type: 'text' | 'date';
      readonly from: FilterInput;
      readonly to: FilterInput;
    };

interface FilterInput {
  /** Of the parameter. */
  readonly name: string;
  /** What the control shows of a value; undefined where it cannot show it. */
  readonly shown?: (value: string) => string | undefined;
}

type Options = readonly (readonly [value: string, label: string])[];

const inputsOf = (control: FilterInputs): FilterInput[] =>
  'one' in control ? [control.one] : [control.from, control.to];

/** What stands in the control; a name with several values, or a blank one, none can show: it stays as it is. */
function enteredBy(filters: URLSearchParams, { name, shown }: FilterInput): [[string, string]] | [] {
  const [value = '', ...others] = filters.getAll(name);
  const text = others.length > 0 ? '' : shown ? shown(value) : value;
  return text === undefined || text === '' ? [] : [[name, text]];
}

function FilterControl({ control, entered }: FilterControlProps): VNode {
  const { label } = control;
  const valueOf = ({ name }: FilterInput): string => entered.get(name) ?? '';
  if ('one' in control)
    return (
      <label>
        <span class="visually-hidden">{label}</span>
        {control.options ? (
          <Choice
            name={control.one.name}
            options={control.options}
            chosen={valueOf(control.one)}
            none="Any"
          />
        ) : (
          <input type="text" name={control.one.name} value={valueOf(control.one)} />
        )}
      </label>
    );
  const more =
    control.type === 'text' ? ({ type: 'text', inputMode: 'decimal' } as const) : ({ type: 'date' } as const);
  return (
    <fieldset class="line">
      <legend class="visually-hidden">{label}</legend>
      <input
        {...more}
        name={control.from.name}
        value={valueOf(control.from)}
        aria-label={`${label}, from`}
        placeholder="from"
      />
      <span aria-hidden="true">–</span>
      <input
        {...more}
        name={control.to.name}
        value={valueOf(control.to)}
        aria-label={`${label}, to`}
        placeholder="to"
      />
    </fieldset>
  );
}

interface FilterControlProps {
  readonly control: FilterInputs;
  readonly entered: ReadonlyMap<string, string>;
}

/** Of the stage, of the assignee, of the first of the fields, and of what every task has. */
function controlsOf(reader: SignedIn, workflow: Workflow): FilterInputs[] {
  const { schema } = workflow;
  const stages = schema.stages.all.map(({ name }): [string, string] => [name, name]);
  const fields = schema.properties.flatMap((property) =>
    property.view && property.filter ? controlOf(reader, property, property.view.ask) : [],
  );
  const times = [...instants.values()].filter(
    ({ name }) => clocks.in(workflow).length > 0 || name !== '_due',
  );
  return [
    { label: labelOf('Stage'), one: { name: 'Stage' }, options: stages },
    { label: labelOf('Assigned To'), one: { name: 'Assigned To' }, options: peopleOf(reader) },
    ...(clocks.in(workflow).length > 0
      ? [
          {
            label: 'Overdue',
            one: { name: '_overdue' },
            options: [
              ['true', 'Yes'],
              ['false', 'No'],
            ] as const,
          },
        ]
      : []),
    ...fields.slice(0, MAX_FIELDS),
    ...times.map((property) => rangeOf(reader, property, 'date')),
  ];
}

const MAX_FIELDS = 24;

function controlOf(reader: SignedIn, property: ListedProperty, ask: AskedField): FilterInputs[] {
  const { name } = property;
  const one = { label: name, one: { name } };
  switch (ask.by) {
    case 'option':
    case 'options':
      return [{ ...one, options: ask.options.map((option) => [option, option]) }];
    case 'person':
      return [{ ...one, options: peopleOf(reader) }];
    case 'tick':
      return [{ ...one, options: [['true', 'Yes'], ['false', 'No']] }]; // prettier-ignore
    case 'number':
      return [rangeOf(reader, property, 'text')];
    case 'day':
    case 'instant':
      return [rangeOf(reader, property, 'date')];
    case 'line':
    case 'lines':
      return [{ label: `${name} contains`, one: { name: `${name}[contains]` } }];
    case 'files':
      return [];
  }
}

/** Instants are asked for by days: from the beginning of one until the beginning of the day after another. */
function rangeOf(reader: SignedIn, property: ListedProperty, type: 'text' | 'date'): FilterInputs {
  const { name } = property;
  const label = labelOf(name);
  if (!isInstant(property)) {
    const shown = (value: string): string =>
      type === 'text' ? numberInControl(value, reader.locale) : value;
    return { label, type, from: { name: `${name}[gte]`, shown }, to: { name: `${name}[lte]`, shown } };
  }
  // What ends with a day belongs to that day.
  const [from, until] = name === '_due' ? ['gt', 'lte'] : ['gte', 'lt'];
  return {
    label,
    type,
    from: { name: `${name}[${from}]`, shown: (value) => dayBegunBy(reader, property, value) },
    to: { name: `${name}[${until}]`, shown: (value) => lastDayBefore(reader, property, value) },
  };
}

/** What a control has sent, as the API's query has it. */
export function enteredFilter(
  { timeZone, locale }: SignedIn,
  { schema }: Workflow,
  name: string,
  value: string,
): string {
  const asked = filterNamed(schema, name);
  if (asked?.property.view?.ask.by === 'number') return typedNumber(value, locale);
  if (!asked || !isInstant(asked.property) || !/^\d{4}-\d\d-\d\d$/.test(value)) return value;
  return instantAt(timeZone, `${['lt', 'lte'].includes(asked.operator) ? dayBeside(value, 1) : value}T00:00`);
}

import { h, type VNode } from 'preact';
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
import { figuresFilterPath, filterPath, type FilterProps, withoutNames } from './addresses.js';
import { dayBegunBy, dayBeside, isInstant, lastDayBefore } from './filter-words.js';

/** A choice is applied at once. The form is a part of the page and covers nothing. */
export function FilterForm({ workflow, filters, at, isOpen = false }: FilterFormProps): VNode {
  const reader = useReader();
  return (
    <details class="filter-menu" name="menu" open={isOpen}>
      <summary class="button quiet">
        <Icon name="filter" /> Add filter
      </summary>
      <div class="filter-fields line">
        {controlsOf(reader, workflow).map((control) => (
          <FieldFilter workflow={workflow} filters={filters} at={at} control={control} />
        ))}
      </div>
    </details>
  );
}

interface FilterFormProps extends FilterProps {
  readonly isOpen?: boolean;
}

/** Loaded on demand, because lists of many people and stages are larger than the figures. */
export const FiguresFilter = ({ isOpen, ...props }: FilterFormProps): VNode => (
  <>
    {h(
      'turbo-frame',
      { id: 'figures-filter', target: '_top' },
      isOpen ? (
        <FilterForm {...props} isOpen />
      ) : (
        <a
          class="button quiet"
          href={figuresFilterPath(props.workflow, props.filters)}
          data-turbo-frame="figures-filter"
        >
          <Icon name="filter" /> Add filter
        </a>
      ),
    )}
  </>
);

function FieldFilter({ workflow, filters, at, control }: FieldFilterProps): VNode {
  const { label, inputs } = control;
  const entered = new Map(inputs.flatMap((input) => enteredBy(filters, input)));
  const others = withoutNames(filters, new Set(entered.keys()));
  return (
    <details name="filter-field">
      <summary>{label}</summary>
      <form action={filterPath(workflow)} class="filter-field line" aria-label={`Filter: ${label}`}>
        <Hidden fields={{ others: others.toString(), at }} />
        {inputs.map((input, index) => (
          <>
            {index > 0 && <span aria-hidden="true">–</span>}
            <FilterControl control={control} input={input} value={entered.get(input.name) ?? ''} />
          </>
        ))}
        <button type="submit">Apply</button>
      </form>
    </details>
  );
}

interface FieldFilterProps extends FilterProps {
  readonly control: FilterInputs;
}

/** A filter with one control, or with two: for a beginning and an end. */
interface FilterInputs {
  readonly label: string;
  readonly inputs: readonly FilterInput[];
  readonly as?: 'number' | 'day';
  readonly options?: readonly (readonly [value: string, label: string])[];
}

interface FilterInput {
  readonly name: string;
  readonly end?: 'from' | 'to';
  /** The text that the control shows for a value; undefined if it cannot show the value. */
  readonly shown?: (value: string) => string | undefined;
}

/** A parameter with several values or a blank one stays as it is, because no control can show it. */
function enteredBy(filters: URLSearchParams, { name, shown }: FilterInput): [[string, string]] | [] {
  const [value = '', ...others] = filters.getAll(name);
  const text = others.length > 0 ? '' : shown ? shown(value) : value;
  return text === undefined || text === '' ? [] : [[name, text]];
}

function FilterControl({
  control: { label, as, options },
  input: { name, end },
  value,
}: ControlProps): VNode {
  const named = { name, 'aria-label': end ? `${label}, ${end}` : label };
  if (options) return <Choice {...named} options={options} chosen={value} none="Any" />;
  const look = as === 'day' ? ({ type: 'date' } as const) : ({ type: 'text' } as const);
  const keys = as === 'number' && ({ inputMode: 'decimal' } as const);
  return <input {...named} {...look} {...keys} value={value} placeholder={end} />;
}

interface ControlProps {
  readonly control: FilterInputs;
  readonly input: FilterInput;
  readonly value: string;
}

/** The filters for the stage, the assignee, the first fields, and the keys of every task. */
function controlsOf(reader: SignedIn, workflow: Workflow): FilterInputs[] {
  const { schema } = workflow;
  const stages = schema.stages.all.map(({ name }): [string, string] => [name, name]);
  const fields = schema.properties.flatMap((property) =>
    property.view && property.filter ? controlOf(reader, property, property.view.ask) : [],
  );
  const times = [...instants.values()].filter(({ name }) => schema.deadlines.size > 0 || name !== '_due');
  return [
    { label: labelOf('Stage'), inputs: [{ name: 'Stage' }], options: stages },
    { label: labelOf('Assigned To'), inputs: [{ name: 'Assigned To' }], options: peopleOf(reader) },
    ...(schema.deadlines.size > 0
      ? [
          {
            label: 'Overdue',
            inputs: [{ name: '_overdue' }],
            options: [
              ['true', 'Yes'],
              ['false', 'No'],
            ] as const,
          },
        ]
      : []),
    ...fields.slice(0, MAX_FIELDS),
    ...times.map((property) => rangeOf(reader, property, 'day')),
  ];
}

const MAX_FIELDS = 24;

function controlOf(reader: SignedIn, property: ListedProperty, ask: AskedField): FilterInputs[] {
  const { name } = property;
  const one = { label: name, inputs: [{ name }] };
  switch (ask.by) {
    case 'option':
    case 'options':
      return [{ ...one, options: ask.options.map((option) => [option, option]) }];
    case 'person':
      return [{ ...one, options: peopleOf(reader) }];
    case 'tick':
      return [{ ...one, options: [['true', 'Yes'], ['false', 'No']] }]; // prettier-ignore
    case 'number':
      return [rangeOf(reader, property, 'number')];
    case 'day':
    case 'instant':
      return [rangeOf(reader, property, 'day')];
    case 'line':
    case 'lines':
      return [{ label: `${name} contains`, inputs: [{ name: `${name}[contains]` }] }];
    case 'files':
      return [];
  }
}

/** Instants are filtered by days: from the beginning of one day to the end of another. */
function rangeOf(reader: SignedIn, property: ListedProperty, as: 'number' | 'day'): FilterInputs {
  const { name } = property;
  const range = (
    from: string,
    to: string,
    shown: readonly Required<FilterInput>['shown'][],
  ): FilterInputs => ({
    label: labelOf(name),
    as,
    inputs: [
      { name: `${name}[${from}]`, end: 'from', ...(shown[0] && { shown: shown[0] }) },
      { name: `${name}[${to}]`, end: 'to', ...(shown[1] && { shown: shown[1] }) },
    ],
  });
  if (!isInstant(property)) {
    const written = (value: string): string => numberInControl(value, reader.locale);
    return range('gte', 'lte', as === 'number' ? [written, written] : []);
  }
  const days = [dayBegunBy, lastDayBefore].map((dayOf) => (value: string) => dayOf(reader, property, value));
  // A deadline at the end of a day belongs to that day.
  return name === '_due' ? range('gt', 'lte', days) : range('gte', 'lt', days);
}

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

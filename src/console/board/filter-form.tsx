import { type VNode } from 'preact';
import { filterNamed } from '../../schema/filters.js';
import { type AskedField } from '../../schema/field-type.js';
import { instants } from '../../schema/properties/instant.js';
import { type ListedProperty } from '../../schema/property.js';
import { type Workflow } from '../../workspace/workspace.js';
import { Choice, peopleOf } from '../parts/control.js';
import { Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { numberInControl, typedNumber } from '../parts/number.js';
import { type SignedIn } from '../reader.js';
import { labelOf } from '../task-shown.js';
import { instantAt } from '../zone.js';
import { filterPath, type FilterProps } from './addresses.js';
import { dayBegunBy, dayBeside, isInstant, lastDayBefore } from './filter-words.js';

/** What tasks are commonly filtered by, to be entered: choices, parts of texts, and numbers and days from and to. */
export function FilterForm({ to, workflow, filters, at }: FilterProps): VNode {
  const { board, lists } = to.words;
  const controls = controlsOf(to, workflow);
  const entered = new Map(controls.flatMap((control) => inputsOf(control).flatMap((input) => enteredBy(filters, input)))); // prettier-ignore
  const others = new URLSearchParams([...filters].filter(([name]) => !entered.has(name)));
  return (
    <details class="menu filter-menu" name="menu">
      <summary class="button quiet">
        <Icon name="filter" /> {board.filters}
      </summary>
      <form action={filterPath(workflow)} class="panel" aria-label={board.filters}>
        <Hidden fields={{ others: others.toString(), at }} />
        <div class="panel-fields">
          {controls.map((control) => (
            <FilterControl to={to} control={control} entered={entered} />
          ))}
        </div>
        <button type="submit">{lists.apply}</button>
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

function FilterControl({ to, control, entered }: FilterControlProps): VNode {
  const { board, lists } = to.words;
  const { label } = control;
  const valueOf = ({ name }: FilterInput): string => entered.get(name) ?? '';
  if ('one' in control)
    return (
      <label>
        <span>{label}</span>
        {control.options ? (
          <Choice
            name={control.one.name}
            options={control.options}
            chosen={valueOf(control.one)}
            none={board.any}
          />
        ) : (
          <input type="text" name={control.one.name} value={valueOf(control.one)} />
        )}
      </label>
    );
  const more =
    control.type === 'text' ? ({ type: 'text', inputMode: 'decimal' } as const) : ({ type: 'date' } as const);
  return (
    <fieldset>
      <legend>{label}</legend>
      <input
        {...more}
        name={control.from.name}
        value={valueOf(control.from)}
        aria-label={lists.fromOf(label)}
        placeholder={lists.from}
      />
      <span aria-hidden="true">–</span>
      <input
        {...more}
        name={control.to.name}
        value={valueOf(control.to)}
        aria-label={lists.toOf(label)}
        placeholder={lists.to}
      />
    </fieldset>
  );
}

interface FilterControlProps {
  readonly to: SignedIn;
  readonly control: FilterInputs;
  readonly entered: ReadonlyMap<string, string>;
}

/** Of the stage, of the assignee, of the first of the fields, and of what every task has. */
function controlsOf(to: SignedIn, { schema, clocks }: Workflow): FilterInputs[] {
  const { time, yes, no } = to.words;
  const stages = schema.stages.all.map(({ name }): [string, string] => [name, name]);
  const fields = schema.properties.flatMap((property) =>
    property.view && property.filter ? controlOf(to, property, property.view.ask) : [],
  );
  const times = [...instants.values()].filter(({ name }) => clocks.length > 0 || name !== '_due');
  return [
    { label: labelOf(to, 'Stage'), one: { name: 'Stage' }, options: stages },
    { label: labelOf(to, 'Assigned To'), one: { name: 'Assigned To' }, options: peopleOf(to) },
    ...(clocks.length > 0
      ? [
          {
            label: time.overdue,
            one: { name: '_overdue' },
            options: [
              ['true', yes],
              ['false', no],
            ] as const,
          },
        ]
      : []),
    ...fields.slice(0, MAX_FIELDS),
    ...times.map((property) => rangeOf(to, property, 'date')),
  ];
}

const MAX_FIELDS = 24;

function controlOf(to: SignedIn, property: ListedProperty, ask: AskedField): FilterInputs[] {
  const { yes, no, lists } = to.words;
  const { name } = property;
  const one = { label: name, one: { name } };
  switch (ask.by) {
    case 'option':
    case 'options':
      return [{ ...one, options: ask.options.map((option) => [option, option]) }];
    case 'person':
      return [{ ...one, options: peopleOf(to) }];
    case 'tick':
      return [{ ...one, options: [['true', yes], ['false', no]] }]; // prettier-ignore
    case 'number':
      return [rangeOf(to, property, 'text')];
    case 'day':
    case 'instant':
      return [rangeOf(to, property, 'date')];
    case 'line':
    case 'lines':
      return [{ label: lists.contains(name), one: { name: `${name}[contains]` } }];
    case 'files':
      return [];
  }
}

/** Instants are asked for by days: from the beginning of one until the beginning of the day after another. */
function rangeOf(to: SignedIn, property: ListedProperty, type: 'text' | 'date'): FilterInputs {
  const { name } = property;
  const label = labelOf(to, name);
  if (!isInstant(property)) {
    const shown = (value: string): string => (type === 'text' ? numberInControl(value, to.locale) : value);
    return { label, type, from: { name: `${name}[gte]`, shown }, to: { name: `${name}[lte]`, shown } };
  }
  // What ends with a day belongs to that day.
  const [from, until] = name === '_due' ? ['gt', 'lte'] : ['gte', 'lt'];
  return {
    label,
    type,
    from: { name: `${name}[${from}]`, shown: (value) => dayBegunBy(to, property, value) },
    to: { name: `${name}[${until}]`, shown: (value) => lastDayBefore(to, property, value) },
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

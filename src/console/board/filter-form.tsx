import { type VNode } from 'preact';
import { type AskedField } from '../../workflows/fields/field-type.js';
import { instants } from '../../workflows/fields/properties/built-ins.js';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { Choice, peopleOf } from '../parts/control.js';
import { Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { useReader, type SignedIn } from '../reader.js';
import { labelOf } from '../task-shown.js';
import { filterPath, type FilterProps } from './addresses.js';
import { rangeOf } from './filter-values.js';

/** A menu with a form for each filter. */
export function FilterForm({ workflow, filters, at }: FilterProps): VNode {
  const reader = useReader();
  return (
    <details class="filter-menu" name="menu">
      <summary class="button quiet">
        <Icon name="filter" /> Add filter
      </summary>
      <div class="filter-fields line">
        {fieldsOf(reader, workflow).map((field) => (
          <FieldFilter workflow={workflow} filters={filters} at={at} field={field} />
        ))}
      </div>
    </details>
  );
}

function FieldFilter({ workflow, filters, at, field }: FieldFilterProps): VNode {
  const { label, names } = field;
  return (
    <details name="filter-field">
      <summary>{label}</summary>
      <form action={filterPath(workflow)} class="filter-field form-line" aria-label={`Filter: ${label}`}>
        <Hidden fields={{ others: filters.toString(), at }} />
        {names.map((name, nth) => (
          <>
            {nth > 0 && <span aria-hidden="true">–</span>}
            <FilterControl
              field={field}
              name={name}
              end={names.length > 1 ? ['from', 'to'][nth] : undefined}
            />
          </>
        ))}
        <button type="submit">Apply</button>
      </form>
    </details>
  );
}

interface FieldFilterProps extends FilterProps {
  readonly field: FilterField;
}

/**
 * The control for one URL parameter. If `end` is given, the parameter is one end of a range of numbers or
 * days.
 */
function FilterControl({ field, name, end }: FilterControlProps): VNode {
  const { label, options, isNumber = false } = field;
  const control = { name, 'aria-label': end ? `${label}, ${end}` : label };
  if (options) return <Choice {...control} options={options} chosen="" none="Choose" />;
  if (end && !isNumber) return <input type="date" {...control} />;
  return <input type="text" {...control} placeholder={end} inputMode={isNumber ? 'decimal' : undefined} />;
}

interface FilterControlProps {
  readonly field: FilterField;
  readonly name: string;
  readonly end: string | undefined;
}

/** A filter of the menu. A range has two URL parameters, any other filter has one. */
interface FilterField {
  readonly label: string;
  readonly names: readonly string[];
  readonly options?: readonly (readonly [value: string, label: string])[] | undefined;
  readonly isNumber?: boolean;
}

/** Filters for the stage, for the assignee, for overdue tasks, for the first MAX_FIELDS fields, for times. */
function fieldsOf(reader: SignedIn, { schema }: Workflow): FilterField[] {
  const stages = schema.stages.all.map(({ name }) => [name, name] as const);
  const hasDeadlines = schema.deadlines.size > 0;
  const chosen = (name: string, options: FilterField['options']): FilterField => ({
    label: name === '_overdue' ? 'Overdue' : labelOf(name),
    names: [name],
    options,
  });
  const fields = schema.properties.flatMap((property) =>
    property.view && property.filter ? fieldOf(reader, property, property.view.ask) : [],
  );
  const times = [...instants.values()].filter(({ name }) => hasDeadlines || name !== '_due');
  return [
    chosen('Stage', stages),
    chosen('Assigned To', peopleOf(reader)),
    ...(hasDeadlines ? [chosen('_overdue', yesOrNo)] : []),
    ...fields.slice(0, MAX_FIELDS),
    ...times.map(rangeField),
  ];
}

const MAX_FIELDS = 24;

const yesOrNo = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const;

function fieldOf(reader: SignedIn, property: ListedProperty, ask: AskedField): FilterField[] {
  const { name } = property;
  const one = { label: name, names: [name] };
  switch (ask.by) {
    case 'option':
    case 'options':
      return [{ ...one, options: ask.options.map((option) => [option, option]) }];
    case 'person':
      return [{ ...one, options: peopleOf(reader) }];
    case 'tick':
      return [{ ...one, options: yesOrNo }];
    case 'number':
      return [{ ...rangeField(property), isNumber: true }];
    case 'day':
    case 'instant':
      return [rangeField(property)];
    case 'line':
    case 'lines':
      return [{ label: `${name} contains`, names: [`${name}[contains]`] }];
    case 'files':
      return [];
  }
}

const rangeField = (property: ListedProperty): FilterField => ({
  label: labelOf(property.name),
  names: rangeOf(property).map((operator) => `${property.name}[${operator}]`),
});

import { type StepRenames } from '../actions/step.js';
import { type CreatedValue, type ScheduleDefinition } from '../workspace/schedule-definition.js';

/** A schedule after stages, fields and users were renamed. */
export function renameSchedule(schedule: ScheduleDefinition, renames: StepRenames): ScheduleDefinition {
  const { create } = schedule;
  return {
    ...schedule,
    ...(create && { create: renameCreated(create, renames) }),
    ...(schedule.fields && { fields: renames.set(schedule.fields) }),
    ...(schedule.for !== undefined && { for: renameQuery(schedule.for, renames) }),
  };
}

type Created = NonNullable<ScheduleDefinition['create']>;

function renameCreated(create: Created, renames: StepRenames): Created {
  return Object.fromEntries(
    Object.entries(create).map(([name, value]): [string, CreatedValue] => [
      renames.field(name),
      typeof value === 'string' ? renameValue(name, value, renames) : value,
    ]),
  );
}

function renameValue(name: string, value: string, { stage, user }: StepRenames): string {
  if (name === 'Stage') return stage(value);
  return name === 'Assigned To' ? user(value) : value;
}

/** A query of tasks after renames. Parts without changed names stay as people wrote them. */
export function renameQuery(query: string, renames: StepRenames): string {
  return query
    .split('&')
    .map((part) => {
      const [written = '', ...values] = part.split('=');
      const key = decoded(written);
      const [, name = key, operator = ''] = /^(.*)(\[[a-z]+\])$/s.exec(key) ?? [];
      const value = decoded(values.join('='));
      const control = controlsOfQuery.get(name);
      const [nameNow, valueNow] = control
        ? [name, control(value, renames)]
        : [renames.field(name), renameValue(name, value, renames)];
      if (nameNow === name && valueNow === value) return part;
      return `${encoded(nameNow)}${operator}=${encoded(valueNow)}`;
    })
    .join('&');
}

/** The parameters of a query whose values name fields. */
const controlsOfQuery: ReadonlyMap<string, (value: string, renames: StepRenames) => string> = new Map([
  ['_sort', (value, renames) => renameNames(value, renameSortKey(renames))],
  ['_fields', (value, { field }) => renameNames(value, field)],
  ['_any', renameQuery],
]);

/** A name that contains commas is the only name in its parameter. */
function renameNames(value: string, rename: (name: string) => string): string {
  const whole = rename(value);
  return whole === value ? value.split(',').map(rename).join(',') : whole;
}

const renameSortKey =
  ({ field }: StepRenames) =>
  (key: string): string =>
    key.startsWith('-') ? `-${field(key.slice(1))}` : field(key);

function decoded(text: string): string {
  return new URLSearchParams(`value=${text}`).get('value') ?? '';
}

/** Keeps spaces, because people read the query. */
function encoded(text: string): string {
  return text.replaceAll(/[%&+=#]/g, encodeURIComponent);
}

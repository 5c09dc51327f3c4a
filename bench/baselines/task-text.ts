import { type Outline, type OutlineField } from '../outline.js';

export interface Row {
  readonly publicId: string;
  readonly uniqueValue: string;
  readonly stageId: number;
  readonly assigneeId: string | null;
  readonly fieldValues: Readonly<Record<string, unknown>>;
}

type Show = (value: unknown) => unknown;

/** Writes rows as tasks, like handwritten code would. */
export function taskWriter({ stages, users, fields, taskUrl }: Outline): (row: Row) => object {
  const stageNames = new Map(stages.map(({ id, name }) => [id, name]));
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  const shown = fields.map((field) => ({ ...field, show: showing(field, emails) }));
  return (row) => {
    const task: Record<string, unknown> = {
      Stage: stageNames.get(row.stageId),
      'Assigned To': row.assigneeId === null ? null : emails.get(row.assigneeId),
      'Task URL': taskUrl + row.publicId,
    };
    for (const { id, name, type, show } of shown)
      task[name] = type === 'uniqueId' ? row.uniqueValue : show(row.fieldValues[id]);
    return task;
  };
}

function showing({ type, options }: OutlineField, emails: ReadonlyMap<unknown, string>): Show {
  switch (type) {
    case 'currency':
      return (value) => (value === undefined ? null : Number(value).toFixed(2));
    case 'checkbox':
      return (value) => value ?? false;
    case 'person':
      return (value) => emails.get(value) ?? null;
    case 'multipleSelect':
      return (value) => (Array.isArray(value) ? options.filter((option) => value.includes(option)) : []);
    default:
      return (value) => value ?? null;
  }
}

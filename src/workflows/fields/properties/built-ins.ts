import { excerpt, listed } from '../../../common/wording.js';
import { Invalid } from '../invalid.js';
import { type Property, type ListedProperty } from '../property.js';
import { type Stage, type Stages } from '../task-schema.js';
import { type User, type Users } from '../field-type.js';
import { isBlankText } from '../../../common/text.js';
import { type Message, say } from '../../../common/message.js';
import { readInstant } from '../types/datetime.js';
import { type TaskView } from '../task-view.js';

/** The keys that every task has. The value tells who may set the key: payloads, or only the service. */
export const builtIns = {
  Stage: 'payload',
  'Assigned To': 'payload',
  'Task URL': 'service',
} as const satisfies Record<string, 'payload' | 'service'>;

export type BuiltIn = keyof typeof builtIns;

export const builtInNames: ReadonlySet<string> = new Set(Object.keys(builtIns));

export const changeableBuiltIns: ReadonlySet<string> = new Set(
  Object.entries(builtIns).flatMap(([name, by]) => (by === 'payload' ? [name] : [])),
);

export const notAStage = (value: unknown, { all }: Stages): Message => {
  const stages = listed(all.map(({ name }) => name));
  if (typeof value !== 'string' || isBlankText(value))
    return say`is not a stage of this workflow; it has: ${stages}`;
  return say`is not a stage of this workflow: ${excerpt(value)}; it has: ${stages}`;
};

const byAction = new Invalid('can be entered only by actions');

/** The key `Stage`: the name of a stage of the workflow. */
export function stageProperty(stages: Stages): Property {
  const find = (name: unknown): Stage | Invalid =>
    (typeof name === 'string' ? stages.named(name) : undefined) ?? new Invalid(notAStage(name, stages));
  return {
    name: 'Stage',
    read(input, change) {
      const stage = find(input);
      if (stage instanceof Invalid) return stage;
      change.stageId = stage.id;
      return undefined;
    },
    bars(input, change) {
      const stage = find(input);
      if (stage instanceof Invalid || stage.enter !== 'by_actions') return undefined;
      change.staysIn = stage.id;
      return byAction;
    },
    repeats: (input, task) => input === stages.get(task.stageId).name,
    isInitial: (input) => input === stages.initial.name,
    serialize: (task) => stages.get(task.stageId).name,
    filter: {
      subject: { of: 'stage' },
      order: { by: 'rank', ranks: stages.all.map(({ id }) => id) },
      parse(text) {
        const stage = find(text);
        return stage instanceof Invalid ? stage : stage.id;
      },
    },
  };
}

/** The key `Assigned To`: the e-mail of a user, or null. A payload can assign only an active user. */
export function assigneeProperty(users: Users): Property {
  return {
    name: 'Assigned To',
    read(input, change) {
      const user = input === null || isBlankText(input) ? null : findUser(users, input);
      if (user instanceof Invalid) return user;
      if (user && !user.active) return notAUser;
      change.assigneeId = user && user.id;
      return undefined;
    },
    repeats(input, task) {
      if (input === null || isBlankText(input)) return task.assigneeId === null;
      return typeof input === 'string' && users.find(input)?.id === task.assigneeId;
    },
    isBlank: (task) => task.assigneeId === null,
    serialize: (task) => (task.assigneeId === null ? null : (users.get(task.assigneeId)?.email ?? null)),
    filter: {
      subject: { of: 'assignee' },
      order: { by: 'rank', ranks: users.ranked },
      parse(text) {
        const user = isBlankText(text) ? null : findUser(users, text);
        return user instanceof Invalid ? user : user && user.id;
      },
    },
  };
}

const notAUser = new Invalid('is not a user of this workspace');

function findUser(users: Users, email: unknown): User | Invalid {
  return (typeof email === 'string' ? users.find(email) : undefined) ?? notAUser;
}

/** The key `Task URL`: read-only, and ignored in a payload. */
export function taskUrlProperty(template: string, workflow: string): Property {
  const [before = '', after = ''] = template
    .replaceAll('{workflow}', encodeURIComponent(workflow))
    .split('{task}');
  return {
    name: 'Task URL',
    read: () => undefined,
    serialize: (task) => before + task.publicId + after,
  };
}

/** Keys that only lists show: the times of a task's creation, last change and deadline. */
export const instants: ReadonlyMap<string, ListedProperty> = new Map(
  [
    instant('_created', 'created', ({ createdAt }) => createdAt),
    instant('_updated', 'updated', ({ updatedAt }) => updatedAt),
    instant('_due', 'due', ({ dueAt }) => dueAt),
  ].map((property) => [property.name, property]),
);

function instant(
  name: string,
  of: 'created' | 'updated' | 'due',
  read: (task: TaskView) => Date | null | undefined,
): ListedProperty {
  return {
    name,
    serialize: (task) => read(task)?.toISOString() ?? null,
    filter: { subject: { of }, order: { by: 'time' }, parse: readInstant },
  };
}

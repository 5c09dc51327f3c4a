import fc from 'fast-check';
import { pauses } from '../../../packages/fair/turn.js';
import { compileSchema, type FieldSource } from '../../../src/workflows/fields/compile-schema.js';
import { type User, type Users } from '../../../src/workflows/fields/field-type.js';
import { fieldTypes } from '../../../src/workflows/fields/field-types.js';
import { validateUpdate } from '../../../src/workflows/fields/validate-task.js';
import { type Link, type Stage, Stages, type TaskSchema } from '../../../src/workflows/fields/task-schema.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { type ParsedTask, parseTask } from '../../../src/workflows/fields/parse-task.js';
import { readJson } from '../../../packages/exact-json/read-json.js';
import { serializeTask } from '../../../src/workflows/fields/serialize-task.js';
import { type TaskChange } from '../../../src/workflows/fields/task-change.js';
import { type TaskView } from '../../../src/workflows/fields/task-view.js';

const limits = { depth: 32, keys: 2000 };
const people: User[] = [
  { id: 'u_1', email: 'Mina@acme.test', active: true },
  { id: 'u_2', email: 'gone@acme.test', active: false },
];
const users: Users = {
  ranked: people.map(({ id }) => id),
  find: (email) => people.find((user) => user.email.toLowerCase() === email.toLowerCase()),
  get: (id) => people.find((user) => user.id === id),
};
const open: Stage = { id: 1, name: 'Open', isEnd: false, outcome: 'done', enter: 'freely', settings: {} };
const stages = new Stages(
  [open, { id: 2, name: 'constructor', isEnd: true, outcome: 'done', enter: 'freely', settings: {} }],
  open,
);

const oddName = fc.constantFrom('constructor', 'toString', 'then', '10', '2', 'a.b[c]', '🦊', 'Amount ($)');
const name = fc
  .oneof(oddName, fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }))
  .map((text) => text.normalize('NFC'));
const field = fc.record({
  name,
  type: fc.constantFrom(...fieldTypes.keys()).filter((type) => type !== 'uniqueId'),
  required: fc.boolean(),
  editable: fc.boolean(),
  settings: fc.record({
    decimals: fc.integer({ min: 0, max: 6 }),
    options: fc.uniqueArray(fc.oneof(oddName, fc.constantFrom('__proto__', 'A', 'B')), { minLength: 1 }),
  }),
});
const builtIn = ['Stage', 'Assigned To', 'Task URL', 'ID', 'Links', 'Link'];
const definition = fc
  .uniqueArray(field, { selector: (field) => field.name, maxLength: 8 })
  .map((fields) => fields.filter((field) => !builtIn.includes(field.name)));

const sample = fc.oneof(
  fc.constantFrom('2026-02-03', '2026-02-03T04:05:06.7+01:00', 'MINA@acme.test', 'a@b.example', 'https://x.test/', '+1 555 0100', 'Open', 'A', '__proto__', 'true', ''), // prettier-ignore
  fc.string({ unit: 'binary' }),
  fc.constantFrom(0, -1.5, 1e21, 12345678.25, true, false, null),
  fc.array(fc.oneof(oddName, fc.constantFrom('A', 'B', '__proto__')), { maxLength: 3 }),
  fc.integer(),
);

function linkOf(name: string, isMultiple: boolean): Link {
  return {
    name,
    side: `>${name}`,
    relationshipId: name,
    kind: isMultiple ? 'many_to_many' : 'many_to_one',
    isFrom: true,
    isMultiple,
    isExclusive: false,
    isByActions: false,
    otherWorkflowId: 2,
    otherWorkflow: 'others',
  };
}

type Field = Omit<FieldSource, 'id'>;

function schemaOf(fields: readonly Field[]): TaskSchema {
  const key = { id: 'f_id', name: 'ID', type: 'uniqueId', required: true, editable: true, settings: {} };
  return compileSchema({
    workflow: 'things',
    search: false,
    stages,
    fields: [key, ...fields.map((field, index) => ({ ...field, id: `f_${index}` }))],
    links: [
      { link: linkOf('Links', true), other: () => schemaOf([]) },
      { link: linkOf('Link', false), other: () => schemaOf([]) },
    ],
    users,
    taskUrl: 'http://localhost/{workflow}/{task}',
  });
}

function object(entries: readonly (readonly [string, unknown])[]): JsonObject {
  const members = new Map(entries.map(([name, value]) => [name, JSON.stringify(value)]));
  const text = `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  const json = readJson(Buffer.from(text), limits);
  if (!(json instanceof Map)) throw new Error('no object');
  return json;
}

const parsed = (schema: TaskSchema, payload: JsonObject): Promise<ParsedTask> =>
  parseTask(schema, payload, pauses());

const blank: TaskView = {
  publicId: 'p',
  uniqueValue: '1',
  stageId: 1,
  assigneeId: null,
  fieldValues: {},
  version: 1,
  changedAt: 0,
};

/** What the statements of tasks/store/upsert-task.ts do, in memory. */
function apply(task: TaskView, { stageId, assigneeId, set, blank }: TaskChange): TaskView {
  const kept = Object.entries(task.fieldValues).filter(([id]) => !blank.has(id));
  return {
    ...task,
    stageId: stageId ?? task.stageId,
    assigneeId: assigneeId === undefined ? task.assigneeId : assigneeId,
    fieldValues: Object.fromEntries([...kept, ...set]),
  };
}

describe('the round-trip law, over random definitions and payloads', () => {
  /** A task of these fields that holds what its schema takes of the values. */
  async function written(schema: TaskSchema, values: readonly unknown[]): Promise<TaskView> {
    const names = [...schema.byName.keys()];
    const entries = values.map((value, index) => [names[index % names.length] ?? '', value] as const);
    return apply(blank, (await parsed(schema, object(entries))).change);
  }

  /** What the task shows, after that was sent back and has changed nothing. */
  async function sentBack(schema: TaskSchema, task: TaskView): Promise<string> {
    const text = serializeTask(schema, task);
    const again = await parsed(schema, object(entriesOf(text)));
    validateUpdate(schema, again, task).throwIfAny();
    expect(apply(task, again.change)).toEqual(task);
    return text;
  }

  const law = (
    judge: (fields: readonly Field[], values: readonly unknown[]) => Promise<void>,
  ): Promise<void> => fc.assert(fc.asyncProperty(definition, fc.array(sample, { maxLength: 12 }), judge));

  it('what a task shows can be sent back and changes nothing', () =>
    law(async (fields, values) => {
      const schema = schemaOf(fields);
      const task = await written(schema, values);
      const names = entriesOf(await sentBack(schema, task)).map(([name]) => name);
      const own = fields.map(({ name }) => name);
      expect(names).toEqual(['Stage', 'Assigned To', 'Task URL', 'ID', ...own, 'Links', 'Link']);
    }));

  it('holds under a later definition with other options, fewer decimals and everything required', () =>
    law(async (fields, values) => {
      const narrow = { required: true, editable: false, settings: { decimals: 0, options: ['new'] } };
      const later = schemaOf(fields.map((field) => ({ ...field, ...narrow })));
      await sentBack(later, await written(schemaOf(fields), values));
    }));

  function entriesOf(text: string): [string, unknown][] {
    const json = readJson(Buffer.from(text), limits);
    if (!(json instanceof Map)) throw new Error('no object');
    return [...json].map(([name, value]) => [String(name), plain(value)]);
  }

  // Responses hold no numbers, so a response's JSON is plain already.
  function plain(value: unknown): unknown {
    return Array.isArray(value) ? value.map(plain) : value;
  }
});

describe('reading a payload', () => {
  // Rule: no request keeps the event loop busy for more than some milliseconds at a time, however many patterns it needs.
  it('lets other work run between values whose patterns take long', async () => {
    const fields = Array.from({ length: 40 }, (_, n) => ({
      name: `Text ${n}`,
      type: 'text',
      required: false,
      editable: true,
      settings: { pattern: `a[ab]{${60 + n}}x$` },
    }));
    const payload = object(fields.map(({ name }) => [name, 'ab'.repeat(5000)]));
    let rounds = 0;
    const counting = setInterval(() => (rounds += 1), 0);
    const { refused } = await parsed(schemaOf(fields), payload);
    clearInterval(counting);
    expect(refused).toHaveLength(fields.length);
    expect(rounds).toBeGreaterThan(1);
  });
});

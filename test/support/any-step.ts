import fc from 'fast-check';
import { type JsonMapping, type JsonValue } from '../../src/workspace/definition-reader.js';
import { type WorkflowPlan, type WorkspacePlan } from './any-definition.js';
import { type FieldPlan } from './any-field.js';
import { anyLines, anyName, anyText, sparse } from './any-text.js';

/** A step of any type that the workflow allows. */
export function anyStep(plan: WorkflowPlan, workspace: WorkspacePlan): fc.Arbitrary<JsonMapping> {
  const stage = fc.constantFrom(...plan.stages);
  return fc.oneof(
    step('move_to_stage', { stage }),
    step('assign', { to: fc.constantFrom('performer', 'nobody', ...emailsOf(workspace)) }),
    step('update_fields', { set: anySet(plan.fields.filter(isChangeable)) }),
    step('delete_task', {}),
    step('add_checklist_items', {
      items: fc.array(fc.record({ title: anyText(500), stage }), { minLength: 1, maxLength: 2 }),
    }),
    anyCall,
    step('api_call', { url: fc.constant('https://a.test/x'), set: anySet(plan.fields.filter(isChangeable)) }),
    ...plan.actions.map((action) =>
      step(
        'schedule_action',
        { action: fc.constant(action), after: fc.constantFrom('3 days', '1 hour', '90 minutes') },
        { cancel: fc.constant('on_stage_change') },
      ),
    ),
    ...plan.actions.map((action) =>
      step('schedule_action', {
        action: fc.constant(action),
        at: fc.constantFrom<JsonValue>('{{Stage}}', { expression: 'now()' }),
      }),
    ),
    step(
      'send_email',
      { to: anyRecipients(plan, workspace), subject: anyMessage, body: anyMessage },
      { reply_to: fc.constant('desk@a.test') },
    ),
    ...workspace.channels.map(({ id = '' }) =>
      step('post_message', { channel: fc.constant(id), text: anyMessage }),
    ),
    ...workspace.relationships.flatMap((relationship) => linkedSteps(relationship, plan, workspace)),
  );
}

const anyMessage = fc.constantFrom(
  'a: # b',
  '{{Stage}} *x*',
  'line\n\n- {{Task URL}}',
  '"q" {{Assigned To}}',
);

function anyRecipients(plan: WorkflowPlan, workspace: WorkspacePlan): fc.Arbitrary<JsonValue> {
  const fields = plan.fields.filter(({ definition: { type } }) => type === 'person' || type === 'email');
  const one = fc.constantFrom<JsonValue>(
    'ada@a.test',
    '{{Assigned To}}',
    ...emailsOf(workspace),
    ...fields.map(({ name }) => ({ field: name })),
  );
  return fc.oneof(one, fc.array(one, { minLength: 1, maxLength: 3 }));
}

type Parts = Record<string, fc.Arbitrary<JsonValue>>;

function step(type: string, always: Parts, sometimes: Parts = {}): fc.Arbitrary<JsonMapping> {
  return sparse({ name: anyName, type: fc.constant(type), ...always }, sometimes);
}

function emailsOf({ users }: WorkspacePlan): JsonValue[] {
  return users.map(({ email }) => email ?? '');
}

/** Values for some of these fields, and a value that is not blank for each `demanded` one. */
function anySet(
  fields: readonly FieldPlan[],
  more: Parts = {},
  demanded: readonly FieldPlan[] = [],
): fc.Arbitrary<JsonMapping> {
  const given = demanded.map((field) => [
    field.name,
    anyValue(field).filter((value) => value !== null && value !== ''),
  ]);
  const others = fields.filter((field) => isSettable(field) && !demanded.includes(field));
  const sometimes = others.map((field) => [field.name, anyValue(field)]);
  return sparse(Object.fromEntries(given) as Parts, { ...(Object.fromEntries(sometimes) as Parts), ...more });
}

const isSettable = ({ definition }: FieldPlan): boolean => definition.type !== 'file';
/** Whether a step may change the field of an existing task. */
const isChangeable = ({ definition }: FieldPlan): boolean => definition.editable !== false;
const anyValue = ({ values, definition }: FieldPlan): fc.Arbitrary<JsonValue> =>
  fc.oneof(values, fc.constantFrom<JsonValue>(null, ...formulasFor(definition)));

/** Expressions and templates that may fit a field of the type. */
function formulasFor({ type }: JsonMapping): JsonValue[] {
  if (type === 'multipleSelect') return [{ expression: '["a"].filter(x, x != "a")' }];
  return ['{{Stage}}', { expression: 'performer' }, ...(formulas.get(type) ?? [])];
}

const texts: JsonValue[] = [
  { expression: 'today()' },
  { expression: '1' },
  { expression: 'task["Stage"] == "a" ? "b: c" : "d"' },
  'by {{Assigned To}}: {{Task URL}} #1',
];
const formulas = new Map<JsonValue | undefined, JsonValue[]>([
  ['text', texts],
  ['longText', texts],
  ['number', [{ expression: '1 + 1' }]],
  ['currency', [{ expression: '1 + 1' }]],
  ['date', [{ expression: 'today()' }]],
  ['datetime', [{ expression: 'now()' }]],
  ['checkbox', [{ expression: '1 < 2' }]],
]);

function linkedSteps(
  { id = '', from = '', to = '' }: JsonMapping,
  plan: WorkflowPlan,
  workspace: WorkspacePlan,
): fc.Arbitrary<JsonMapping>[] {
  const ends = [from, to].map((end) => Object(end).workflow as string); // eslint-disable-line
  if (!ends.includes(plan.id)) return [];
  const far = workspace.workflows.find(
    (workflow) => workflow.id === (ends[0] === plan.id ? ends[1] : ends[0]),
  );
  if (!far) return [];
  const isLoop = ends[0] === ends[1];
  const more = {
    Stage: fc.constantFrom(...far.stages),
    'Assigned To': fc.constantFrom(null, ...emailsOf(workspace)),
  };
  const required = far.fields.filter((field) => isSettable(field) && field.definition.required === true);
  const ofNew = { set: anySet(far.fields, more, required) };
  const always = { relationship: fc.constant(id), ...(isLoop && { side: fc.constantFrom('from', 'to') }) };
  return [
    required.length > 0
      ? step('create_linked_task', { ...always, ...ofNew })
      : step('create_linked_task', always, ofNew),
    step('update_linked_tasks', { ...always, set: anySet(far.fields.filter(isChangeable), more) }),
  ];
}

const anyJson = fc.letrec<{ value: JsonValue; mapping: JsonMapping }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    anyLines,
    fc.constantFrom<JsonValue>(null, true, '5', '{{Stage}}', 'yes'),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('mapping'),
  ),
  mapping: fc.dictionary(
    fc.oneof(anyLines, fc.constantFrom('default', 'set', '1', '__proto__')),
    tie('value'),
    {
      maxKeys: 3,
      noNullPrototype: true,
    },
  ),
}));

const anyCall = step(
  'api_call',
  { url: fc.constantFrom('https://a.test', 'http://a.test/{{Stage}}?a=b#c', 'https://{{secret.HOST}}/x') },
  {
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
    headers: fc.dictionary(
      fc.constantFrom('X-Team', 'default', 'set', '1', 'Authorization'),
      fc.constantFrom('{{secret.T}}', 'Bearer {{secret.T}}: #', '5{{secret.T}}'),
    ),
    body: fc.oneof(anyJson.mapping, anyLines),
    timeout_seconds: fc.constantFrom(1, 0.5, 120),
    tries: fc.integer({ min: 1, max: 10 }),
  },
);

import fc from 'fast-check';
import { roleEdits, roleMoves, roleSights } from '../../src/entities/column-values.js';
import { type JsonMapping, type JsonValue } from '../../src/workspace/definition-reader.js';
import { anyField, type FieldPlan } from './any-field.js';
import { anyStep } from './any-step.js';
import { anyCalendars, anySchedules } from './any-schedule.js';
import { anyWebhooks } from './any-webhook.js';
import { anyId, anyName, anyNames, anyText, some, sparse } from './any-text.js';

// Valid definitions of every shape. Parts that others refer to are drawn first.

export interface WorkflowPlan {
  readonly id: string;
  readonly stages: readonly string[];
  readonly fields: readonly FieldPlan[];
  readonly actions: readonly string[];
  readonly roles: readonly string[];
}

export interface WorkspacePlan {
  readonly users: readonly JsonMapping[];
  readonly workflows: readonly WorkflowPlan[];
  readonly relationships: readonly JsonMapping[];
  readonly channels: readonly JsonMapping[];
}

/** A document that can be applied as it is, for the workspace with this id. */
export function anyDefinition(workspaceId: string): fc.Arbitrary<JsonMapping> {
  return fc
    .tuple(anyUsers, fc.uniqueArray(anyId, { minLength: 0, maxLength: 3 }))
    .chain(([users, ids]) =>
      fc.tuple(fc.constant(users), fc.tuple(...ids.map((id) => anyWorkflowPlan(id, users)))),
    )
    .chain(([users, workflows]) =>
      fc
        .tuple(anyRelationships(workflows), anyChannels)
        .chain(([relationships, channels]) =>
          anyDocument(workspaceId, { users, workflows, relationships, channels }),
        ),
    );
}

function anyDocument(id: string, plan: WorkspacePlan): fc.Arbitrary<JsonMapping> {
  return fc
    .tuple(
      sparse({ id: fc.constant(id) }, { name: anyName, timezone: fc.constantFrom('UTC', 'Europe/Berlin') }),
      fc.tuple(...plan.workflows.map((workflow) => anyWorkflow(workflow, plan))),
      anyWebhooks(plan.workflows),
      anyCalendars,
    )
    .map(([workspace, workflows, webhooks, calendars]) => ({
      workspace,
      users: [...plan.users],
      workflows,
      relationships: [...plan.relationships],
      webhooks: [...webhooks],
      channels: [...plan.channels],
      calendars: [...calendars],
    }));
}

const anyChannels = fc.uniqueArray(
  fc.record({
    id: anyId,
    type: fc.constantFrom('slack', 'teams', 'webhook'),
    url: fc.constantFrom('{{secret.URL}}', 'https://a.test/x?key={{secret.T}}', 'http://a.test:8080/#y'),
  }),
  { maxLength: 2, selector: ({ id }) => id },
);

const anyEmail = fc.constantFrom('mina', 'Theo', 'ines', 'yes', '1', 'ü').map((name) => `${name}@acme.test`);

const anyUsers = fc
  .uniqueArray(anyEmail, { minLength: 1, maxLength: 4, selector: (email) => email.toLowerCase() })
  .chain((emails) =>
    fc.tuple(
      ...emails.map((email) =>
        sparse(
          { email: fc.constant(email) },
          { first_name: anyName, last_name: anyName, active: fc.boolean() },
        ),
      ),
    ),
  );

function anyWorkflowPlan(id: string, users: readonly JsonMapping[]): fc.Arbitrary<WorkflowPlan> {
  return fc.record({
    id: fc.constant(id),
    stages: anyNames(1, 4),
    fields: anyNames(0, 8).chain((names) =>
      fc.tuple(...names.map((name, index) => anyField(name, users, index === 0))),
    ),
    actions: fc.uniqueArray(anyId, { maxLength: 3 }),
    roles: fc.uniqueArray(anyId, { maxLength: 3 }),
  });
}

const kinds = ['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many'];

/** Relationships between workflows with a Unique ID. No field's name begins like their keys. */
function anyRelationships(workflows: readonly WorkflowPlan[]): fc.Arbitrary<JsonMapping[]> {
  const ends = workflows.filter(({ fields }) =>
    fields.some(
      ({ definition: { type, required, autoincrement } }) =>
        type === 'uniqueId' && (required ?? autoincrement) === true,
    ),
  );
  if (ends.length === 0) return fc.constant([]);
  const workflow = fc.constantFrom(...ends.map(({ id }) => id));
  const change = fc.constantFrom('freely', 'by_actions');
  return fc.uniqueArray(anyId, { maxLength: 3 }).chain((ids) =>
    fc.tuple(
      ...ids.map((id, index) =>
        fc.record({
          id: fc.constant(id),
          kind: fc.constantFrom(...kinds),
          from: sparse({ workflow, name: fc.constant(`~from ${index}`) }, { change }),
          to: sparse({ workflow, name: fc.constant(`~to ${index}`) }, { change }),
        }),
      ),
    ),
  );
}

function anyWorkflow(plan: WorkflowPlan, workspace: WorkspacePlan): fc.Arbitrary<JsonMapping> {
  const { stages, actions, roles } = plan;
  const emails = workspace.users.map(({ email }) => email ?? '');
  return fc
    .record({
      name: anyName,
      search: fc.option(fc.boolean(), { nil: undefined }),
      initial: fc.option(fc.nat(stages.length - 1)),
      enter: fc.constantFrom('freely', 'by_actions', undefined),
      ends: fc.tuple(...stages.map(() => fc.option(fc.boolean(), { nil: undefined }))),
      checklist: fc.uniqueArray(fc.record({ title: anyText(500), stage: fc.constantFrom(...stages) }), {
        maxLength: 4,
        selector: ({ title, stage }) => JSON.stringify([stage, title.normalize('NFC')]),
      }),
      roles: fc.tuple(...roles.map((id) => anyRole(id, actions))),
      members:
        roles.length === 0
          ? fc.constant([])
          : some(emails).chain((held) =>
              fc.tuple(
                ...held.map((email) =>
                  fc.record({ email: fc.constant(email), role: fc.constantFrom(...roles) }),
                ),
              ),
            ),
      names: anyNames(actions.length, actions.length),
      schedules: anySchedules(plan),
    })
    .chain(({ schedules, name, search, initial, enter, ends, checklist, roles, members, names }) =>
      fc
        .tuple(...actions.map((id, index) => anyAction(id, names[index] ?? id, plan, workspace)))
        .map((actions): JsonMapping => ({
          id: plan.id,
          name,
          ...(search !== undefined && { search }),
          stages: stages.map((stage, index) =>
            given({ name: stage, initial: initial === index ? true : undefined, end: ends[index], enter }),
          ),
          fields: plan.fields.map(({ definition }) => definition),
          checklist,
          roles: [...roles],
          members: [...members],
          actions: [...actions],
          schedules: [...schedules],
        })),
    );
}

function given(entries: { [key: string]: JsonValue | undefined }): JsonMapping {
  return JSON.parse(JSON.stringify(entries)) as JsonMapping;
}

function anyRole(id: string, actions: readonly string[]): fc.Arbitrary<JsonMapping> {
  return sparse(
    { id: fc.constant(id), name: anyName },
    {
      admin: fc.boolean(),
      actions: some(actions),
      sees: fc.constantFrom(...roleSights),
      edits: fc.constantFrom(...roleEdits),
      creates: fc.boolean(),
      moves: fc.constantFrom(...roleMoves),
      deletes: fc.boolean(),
    },
  );
}

function anyAction(
  id: string,
  name: string,
  plan: WorkflowPlan,
  workspace: WorkspacePlan,
): fc.Arbitrary<JsonMapping> {
  return sparse(
    { id: fc.constant(id), name: fc.constant(name) },
    {
      stages: some(plan.stages, 1),
      requirements: anyRequirements(plan),
      steps: fc.array(anyStep(plan, workspace), { maxLength: 4 }).map(lastDeletes),
    },
  );
}

/** A step that deletes the task must be the last step. */
function lastDeletes(steps: JsonMapping[]): JsonMapping[] {
  return steps.filter(({ type }, index) => type !== 'delete_task' || index === steps.length - 1);
}

function anyRequirements({ fields }: WorkflowPlan): fc.Arbitrary<JsonMapping> {
  const condition = fc.record({
    when: fc.constantFrom('true', '1 < 2', 'task["Stage"] != "a: #b"', "performer == 'x'", '1 <\n 2'),
    message: anyText(500),
  });
  return sparse(
    {},
    {
      required_fields: some(fields.map(({ name }) => name)),
      checklist: fc.constant('completed'),
      assigned: fc.boolean(),
      conditions: fc.array(condition, { maxLength: 2 }),
      confirmation: anyText(500),
    },
  );
}

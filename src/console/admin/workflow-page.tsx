import { en } from './words.js';
import { type VNode } from 'preact';
import { wantedRequirements } from '../../actions/requirement-types.js';
import { stepTypes } from '../../actions/step-types.js';
import { fieldTypes } from '../../schema/field-types.js';
import { type RoleDefinition } from '../../workspace/role-definition.js';
import { type StepDefinition } from '../../workspace/action-definition.js';
import { type WorkflowDefinition } from '../../workspace/definition.js';
import { type FieldDefinition, fieldSettings } from '../../workspace/field-definition.js';
import { rolesNamed } from '../../workspace/role-definition.js';
import { wordsOf } from '../../workspace/schema-parts.js';
import { Badge, StageBadge } from '../parts/badge.js';
import { Table } from '../parts/table.js';
import { Somebody } from '../parts/value.js';
import { DetailPage, Section } from './admin-page.js';
import { useReader, type SignedIn } from '../reader.js';

interface WorkflowProps {
  readonly workflow: WorkflowDefinition;
}

/** What the definition says of a workflow. */
export function WorkflowPage({ workflow }: WorkflowProps): VNode {
  const { definition } = en.admin;
  const { name, id, checklist } = workflow;
  return (
    <DetailPage title={name} lead={<code>{id}</code>} above={{ href: '/admin/definition', name: definition }}>
      <Stages workflow={workflow} />
      <Fields workflow={workflow} />
      {checklist.length > 0 && (
        <Section id="checklist" title={en.task.checklist}>
          <ul class="plain-list stack gap-1">
            {checklist.map(({ title, stage }) => (
              <li>
                {title} <span class="muted">{stage}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Roles workflow={workflow} />
      <Actions workflow={workflow} />
    </DetailPage>
  );
}

function Stages({ workflow: { stages } }: WorkflowProps): VNode {
  const words = en.admin.definitions;
  return (
    <Section id="stages" title={words.stages}>
      <ol class="stack">
        {stages.map(({ name, initial, end, outcome = 'done', enter, change }, place) => (
          <li class="line">
            <StageBadge stage={{ name, isEnd: end, outcome }} place={place} count={stages.length} />
            {initial && <Badge tone="accent">{words.initial}</Badge>}
            {end &&
              (outcome === 'dropped' ? (
                <Badge>{words.dropped}</Badge>
              ) : (
                <Badge tone="good">{words.end}</Badge>
              ))}
            {enter === 'by_actions' && <Badge>{words.byActions}</Badge>}
            {change !== undefined && (
              <Badge>{words.locked(typeof change === 'string' ? '' : change.join(', '))}</Badge>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Fields({ workflow: { fields } }: WorkflowProps): VNode {
  const words = en.admin.definitions;
  return (
    <Section id="fields" title={words.fields} isLandmark={false}>
      <Table
        caption={words.fields}
        head={[words.field, words.type, words.rules]}
        rows={fields.map((field) => [
          <strong>{field.name}</strong>,
          titleOf(fieldTypes.get(field.type)?.settings) ?? field.type,
          <Rules field={field} />,
        ])}
      />
    </Section>
  );
}

function Rules({ field }: { readonly field: FieldDefinition }): VNode {
  const words = en.admin.definitions;
  const settings = [...fieldSettings].flatMap(([key, schema]): SaidSetting[] =>
    field[key] === undefined ? [] : [[titleOf(schema) ?? key, field[key]]],
  );
  return (
    <>
      {(field.required || !field.editable || field.change) && (
        <span class="tags">
          {field.required && <Badge tone="accent">{en.task.required}</Badge>}
          {!field.editable && <Badge>{words.fixed}</Badge>}
          {field.change && <Badge>{words.byActions}</Badge>}
        </span>
      )}
      <Settings said={field.default === undefined ? settings : [...settings, ['Default', field.default]]} />
    </>
  );
}

function Roles({ workflow }: WorkflowProps): VNode {
  const words = en.admin.definitions;
  const { roles } = workflow;
  return (
    <Section id="roles" title={words.roles}>
      {roles.length === 0 && <p class="muted">{words.noRoles}</p>}
      <ul class="boxes stack gap-3">
        {roles.map((role) => (
          <li class="stack">
            <Role workflow={workflow} role={role} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Role({ workflow, role }: WorkflowProps & { readonly role: RoleDefinition }): VNode {
  const { definitions: words } = en.admin;
  const { name, admin, sees, edits, moves, creates, deletes } = role;
  const named = (id: string): string => workflow.actions.find((action) => action.id === id)?.name ?? id;
  const all = workflow.members.filter((member) => rolesNamed(member).includes(role.id));
  const [holders, members] = [all.slice(0, MAX_MEMBERS), all.length];
  const said: SaidSetting[] = [
    [words.actions, role.actions.map(named)],
    [words.sees, words.words[sees] ?? sees],
    [words.edits, words.words[edits] ?? edits],
    [words.moves, words.words[moves] ?? moves],
    [words.also, [creates && words.creates, deletes && words.deletes].filter((text) => text !== false)],
  ];
  return (
    <>
      <h3 class="line">
        {name} {admin && <Badge tone="accent">{words.admin}</Badge>}
      </h3>
      {!admin && <Settings said={said} />}
      <p class="line">
        {members === 0 && <span class="muted">{words.nobody}</span>}
        {holders.map(({ email }) => (
          <Somebody email={email} />
        ))}
        {members > holders.length && (
          <span class="muted">{en.task.moreLinked(members - holders.length)}</span>
        )}
      </p>
    </>
  );
}

/** Of a role; the page of users has them all. */
const MAX_MEMBERS = 20;

function Actions({ workflow: { actions } }: WorkflowProps): VNode {
  const words = en.admin.definitions;
  return (
    <Section id="actions" title={words.actions}>
      {actions.length === 0 && <p class="muted">{words.noActions}</p>}
      <ul class="boxes stack gap-3">
        {actions.map(({ id, name, stages, requirements, steps }) => {
          const wanted = wantedRequirements(requirements).flatMap(
            ([key, { settings }, said]): SaidSetting[] =>
              said === false ? [] : [[titleOf(settings) ?? key, said]],
          );
          return (
            <li class="stack">
              <h3 class="line">
                {name} <code class="muted">{id}</code>
              </h3>
              <p class="muted">
                {stages.length === 0 ? words.anyStage : en.task.inStages(stages.join(', '))}
              </p>
              {wanted.length > 0 && (
                <>
                  <h4>{words.requirements}</h4>
                  <Settings said={wanted} />
                </>
              )}
              {steps.length > 0 && (
                <>
                  <h4>{words.steps}</h4>
                  <ol class="said-steps stack gap-3">
                    {steps.map((step) => (
                      <li>
                        <Step step={step} />
                      </li>
                    ))}
                  </ol>
                </>
              )}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function Step({ step }: { readonly step: StepDefinition }): VNode {
  const type = stepTypes.get(step.type);
  const { name, type: key, ...settings } = step;
  const said = Object.entries(settings).map(([setting, value]): SaidSetting => [
    titleOf(type?.settings.properties[setting]) ?? setting,
    value,
  ]);
  return (
    <>
      <strong>{name}</strong> <span class="muted">{titleOf(type?.settings) ?? key}</span>
      <Settings said={said} />
    </>
  );
}

function titleOf(schema: Parameters<typeof wordsOf>[0] | undefined): string | undefined {
  return (schema && wordsOf(schema).title) || undefined;
}

/** What a setting is called, and what a definition says of it. */
type SaidSetting = readonly [name: string, value: unknown];

/** Settings, a line each; what says nothing is left out. */
function Settings({ said }: SettingsProps): VNode | null {
  const given = said.filter(([, value]) => !isNothing(value));
  if (given.length === 0) return null;
  return (
    <dl class="said stack gap-1">
      {given.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            <Plain value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface SettingsProps {
  readonly said: readonly SaidSetting[];
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** A value of a definition, whatever it is: lists of texts in a line, what is deeper below each other. */
function Plain({ value }: PlainProps): VNode {
  const reader = useReader();
  if (Array.isArray(value)) return <List values={value} />;
  if (typeof value === 'object' && value !== null) return <Settings said={Object.entries(value)} />;
  return <>{textOf(reader, value)}</>;
}

interface PlainProps {
  readonly value: unknown;
}

function List({ values }: { readonly values: readonly unknown[] }): VNode {
  const reader = useReader();
  if (values.every((value) => typeof value !== 'object' || value === null)) {
    const shown = values.slice(0, MAX_SHOWN).map((value) => textOf(reader, value));
    const rest = values.length - shown.length;
    return <>{[...shown, ...(rest > 0 ? [en.task.moreLinked(rest)] : [])].join(', ')}</>;
  }
  return (
    <ul class="stack gap-1">
      {values.map((value) => (
        <li>
          <Plain value={value} />
        </li>
      ))}
    </ul>
  );
}

/** Of the options of a field there may be a thousand. */
const MAX_SHOWN = 50;

function textOf({}: SignedIn, value: unknown): string {
  if (typeof value === 'boolean') return value ? en.yes : en.no;
  if (value === null) return en.none;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

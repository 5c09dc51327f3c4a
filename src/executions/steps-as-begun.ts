import { type EntityManager } from 'typeorm';
import { type StepRenames } from '../actions/step.js';
import { stepTypes } from '../actions/step-types.js';
import { sql } from '../database/sql.js';
import { type SetDefinition } from '../workspace/schema-parts.js';
import { type Scope } from '../workspace/scope.js';
import { type Workflow } from '../workspace/workspace.js';
import { type Claimed } from './claims.repository.js';

/**
 * An execution that was entered under an earlier definition, whose steps find what has been renamed since: names are
 * replaced in settings, and the former names of fields stay valid in the expressions and templates of its steps.
 */
export async function asBegun(
  db: EntityManager,
  scope: Scope,
  claimed: Claimed,
): Promise<{ readonly scope: Scope; readonly claimed: Claimed }> {
  const { workflow } = scope;
  const { definition, actionId, steps, given } = claimed;
  if (definition === workflow.version) return { scope, claimed };
  const renamed = await sql<Rename>(db, renamesSince, [workflow.workspaceId, definition]);
  if (renamed.length === 0) return { scope, claimed };
  const renames = stepRenames(workflow, renamed);
  const { byName } = workflow.schema;
  const former = renamed.flatMap(({ what, name }) => {
    const of = `${workflow.slug} / `;
    const was = name.slice(of.length);
    const property = what === 'field' && name.startsWith(of) ? byName.get(renames.field(was)) : undefined;
    return property ? [[was, property] as const] : [];
  });
  return {
    // A new field may have taken a former name.
    scope: scope.in({ ...workflow, schema: { ...workflow.schema, byName: new Map([...former, ...byName]) } }),
    claimed: {
      ...claimed,
      actionId: nameNow('action', workflow.slug, actionId, renamed),
      steps: steps.map((step) => stepTypes.get(step.type)?.rename?.(step, renames) ?? step),
      given: given && 'set' in given ? { set: renames.set(given.set) } : given,
    },
  };
}

/** A change of the history, oldest first: `field`, `vendors / Tier`, `Level`. */
interface Rename {
  readonly version: number;
  readonly what: string;
  readonly name: string;
  readonly detail: string;
}

const renamesSince = {
  name: 'renames-since-a-version',
  text: `
    SELECT v.version, c.value ->> 'what' AS what, c.value ->> 'name' AS name, c.value ->> 'detail' AS detail
    FROM definition_versions v CROSS JOIN LATERAL json_array_elements(v.changes) WITH ORDINALITY c (value, place)
    WHERE v.workspace_id = $1 AND v.version > $2 AND c.value ->> 'kind' = 'rename'
    ORDER BY v.version, c.place`,
};

function stepRenames({ slug, schema }: Workflow, renamed: readonly Rename[]): StepRenames {
  const now =
    (what: string, workflow = slug) =>
    (name: string) =>
      nameNow(what, workflow, name, renamed);
  const keys = (set: SetDefinition, workflow = slug): SetDefinition =>
    Object.fromEntries(Object.entries(set).map(([name, value]) => [now('field', workflow)(name), value]));
  return {
    stage: now('stage'),
    field: now('field'),
    user: now('user', ''),
    set: keys,
    linkedSet: (id, set) => {
      const far = (schema.links.get(`>${id}`) ?? schema.links.get(`<${id}`))?.otherWorkflow;
      const { Stage: stage, ...rest } = keys(set, far);
      return { ...rest, ...(stage !== undefined && { Stage: typeof stage === 'string' ? now('stage', far)(stage) : stage }) }; // prettier-ignore
    },
  };
}

/** The present name; users stand in the history by their e-mail alone. */
function nameNow(what: string, workflow: string, name: string, renamed: readonly Rename[]): string {
  let now = name;
  let done = 0;
  for (const change of renamed) {
    const label = workflow === '' ? now : `${workflow} / ${now}`;
    // Two names that change places do so in one version.
    if (change.version === done || change.what !== what || change.name !== label) continue;
    now = change.detail;
    done = change.version;
  }
  return now;
}

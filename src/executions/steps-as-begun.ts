import { type EntityManager } from 'typeorm';
import { type StepRenames } from '../actions/step.js';
import { stepTypes } from '../actions/step-types.js';
import { sql } from '../database/sql.js';
import { type SetDefinition } from '../workspace/schema-parts.js';
import { type Scope } from '../workspace/scope.js';
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
  const { steps, given } = claimed;
  if (claimed.definition === workflow.version) return { scope, claimed };
  const renames = await sql<Rename>(db, renamesSince, [workflow.workspaceId, claimed.definition, claimed.id]);
  const own = `${workflow.slug} / `;
  const now = (what: string, of = own) => nameNow(renames, what, of);
  const keysNow = (set: SetDefinition, of?: string): SetDefinition =>
    Object.fromEntries(Object.entries(set).map(([name, value]) => [now('field', of)(name), value]));
  const { byName, links } = workflow.schema;
  const ofSteps: StepRenames = {
    stage: now('stage'),
    field: now('field'),
    user: now('user', ''),
    set: (set) => keysNow(set),
    linkedSet: (id, set) =>
      keysNow(set, `${(links.get(`>${id}`) ?? links.get(`<${id}`))?.otherWorkflow ?? ''} / `),
  };
  const former = renames.flatMap(({ what, name }) => {
    const was = name.slice(own.length);
    const property = what === 'field' && name.startsWith(own) ? byName.get(ofSteps.field(was)) : undefined;
    return property ? [[was, property] as const] : [];
  });
  return {
    // A new field may have taken a former name.
    scope: scope.in({ ...workflow, schema: { ...workflow.schema, byName: new Map([...former, ...byName]) } }),
    claimed: {
      ...claimed,
      actionId: renames[0]?.actionId ?? claimed.actionId,
      steps: steps.map((step) => stepTypes.get(step.type)?.rename?.(step, ofSteps) ?? step),
      given: given && 'set' in given ? { set: ofSteps.set(given.set) } : given,
    },
  };
}

/** A change in the history of the definition: `field`, `vendors / Tier`, `Level`. */
interface Rename {
  readonly version: number;
  readonly what: string;
  readonly name: string;
  readonly detail: string;
  /** The present id of the execution's action. */
  readonly actionId: string;
}

const renamesSince = {
  name: 'renames-since-a-version',
  text: `
    SELECT v.version, c ->> 'what' AS what, c ->> 'name' AS name, c ->> 'detail' AS detail,
      (SELECT e.action_id FROM executions e WHERE e.workspace_id = $1 AND e.id = $3) AS "actionId"
    FROM definition_versions v CROSS JOIN LATERAL json_array_elements(v.changes) c
    WHERE v.workspace_id = $1 AND v.version > $2 AND c ->> 'kind' = 'rename'
    ORDER BY v.version`,
};

function nameNow(renames: readonly Rename[], what: string, of: string): (name: string) => string {
  const versions = [...new Set(renames.map(({ version }) => version))];
  // One rename a version, because a name that becomes free may be taken in the same one.
  const renamed = (name: string, version: number): string =>
    renames.find((each) => each.version === version && each.what === what && each.name === of + name)
      ?.detail ?? name;
  return (name) => versions.reduce(renamed, name);
}

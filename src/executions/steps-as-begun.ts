import { type EntityManager } from 'typeorm';
import { stepTypes } from '../actions/step-types.js';
import { ExecutionEntity } from './execution.entity.js';
import { type NamedKind, type Place } from '../workflows/model/marks.js';
import { renameNames } from '../workflows/definition/merge/rename-names.js';
import { givenFields } from '../workflows/model/schema-parts.js';
import { changesSince, nameNow } from '../workflows/definition/store/history.js';
import { type Scope } from '../workflows/model/scope.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { type Claimed } from './claims.repository.js';

/**
 * The workflow for the steps of an execution that was entered under an earlier definition. Settings of the steps get
 * the new names of renamed things; their expressions and templates may still use the former names of fields.
 */
export async function asBegun(
  db: EntityManager,
  scope: Scope,
  claimed: Claimed,
): Promise<{ readonly scope: Scope; readonly claimed: Claimed }> {
  const { workflow } = scope;
  const { workspaceId, id, definition, steps, given } = claimed;
  if (definition === workflow.version) return { scope, claimed };
  const since = await changesSince(db, workspaceId, definition);
  const now = (kind: NamedKind, name: string, of: readonly string[] = [workflow.slug]): string =>
    (kind === 'user' ? [[]] : of.map((slug) => [slug])).map((path) => nameNow(kind, path, name, since))[0] ??
    name;
  const place = placeOf(workflow);
  const renamed = <T extends object>(schema: object | undefined, settings: T): T => {
    const holder = { settings: structuredClone(settings) };
    renameNames({ schema, holder, key: 'settings', place }, now);
    return holder.settings;
  };
  const { byName } = workflow.schema;
  const own = `${workflow.slug} / `;
  const former = since.flat().flatMap(({ kind, what, name }) => {
    const isOwn = kind === 'rename' && what === 'field' && name.startsWith(own);
    const was = name.slice(own.length);
    const property = isOwn ? byName.get(now('field', was)) : undefined;
    return property ? [[was, property] as const] : [];
  });
  const row = await db.findOne(ExecutionEntity, { select: { actionId: true }, where: { workspaceId, id } });
  return {
    // Another field may have taken a former name.
    scope: scope.in({ ...workflow, schema: { ...workflow.schema, byName: new Map([...former, ...byName]) } }),
    claimed: {
      ...claimed,
      actionId: row?.actionId ?? claimed.actionId,
      steps: steps.map((step) => renamed(stepTypes.get(step.type)?.settings, step)),
      given: given && 'set' in given ? { set: renamed(fieldsGiven, given.set) } : given,
    },
  };
}

const fieldsGiven = givenFields();

/** Where names in the steps of a workflow are looked up. */
function placeOf({ slug, schema }: Workflow): Place {
  const ends = [...schema.links.values()].map((link) => ({
    id: link.relationshipId,
    name: link.name,
    far: link.otherWorkflow,
    isMultiple: link.isMultiple,
  }));
  return { workflow: slug, workflows: [slug], ends };
}

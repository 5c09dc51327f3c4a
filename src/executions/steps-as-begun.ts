import { type EntityManager } from 'typeorm';
import { type StepRenames } from '../actions/step.js';
import { stepTypes } from '../actions/step-types.js';
import { ExecutionEntity } from '../entities/execution.entity.js';
import { type SetDefinition } from '../workspace/schema-parts.js';
import { changesSince, emailNow, nameNow } from '../workspace/names-since.js';
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
  const { workspaceId, id, definition, steps, given } = claimed;
  if (definition === workflow.version) return { scope, claimed };
  const since = await changesSince(db, workspaceId, definition);
  const now =
    (what: string, of = workflow.slug) =>
    (name: string): string =>
      nameNow(what, of, name, since) ?? name;
  const keysNow = (set: SetDefinition, of?: string): SetDefinition =>
    Object.fromEntries(Object.entries(set).map(([name, value]) => [now('field', of)(name), value]));
  const { byName, links } = workflow.schema;
  const ofSteps: StepRenames = {
    stage: now('stage'),
    field: now('field'),
    user: (email) => emailNow(email, since),
    set: (set) => keysNow(set),
    linkedSet: (side, set) => keysNow(set, (links.get(`>${side}`) ?? links.get(`<${side}`))?.otherWorkflow),
  };
  const own = `${workflow.slug} / `;
  const former = since.flat().flatMap(({ kind, what, name }) => {
    const isOwn = kind === 'rename' && what === 'field' && name.startsWith(own);
    const was = name.slice(own.length);
    const property = isOwn ? byName.get(ofSteps.field(was)) : undefined;
    return property ? [[was, property] as const] : [];
  });
  const row = await db.findOne(ExecutionEntity, { select: { actionId: true }, where: { workspaceId, id } });
  return {
    // A new field may have taken a former name.
    scope: scope.in({ ...workflow, schema: { ...workflow.schema, byName: new Map([...former, ...byName]) } }),
    claimed: {
      ...claimed,
      actionId: row?.actionId ?? claimed.actionId,
      steps: steps.map((step) => stepTypes.get(step.type)?.rename?.(step, ofSteps) ?? step),
      given: given && 'set' in given ? { set: ofSteps.set(given.set) } : given,
    },
  };
}

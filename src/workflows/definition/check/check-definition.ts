import { atOnce } from '../../../../packages/fair/turn.js';
import { timezoneFault } from '../../time/zone.js';
import { isSecretPart } from '../../expressions/secret-variable.js';
import { english } from '../../../common/message.js';
import {
  checkDistinct,
  checkName,
  type KnownSettings,
  type Report,
  reportTo,
  scopeOf,
  type WorkflowScope,
  workflowScope,
  type WorkspaceScope,
} from '../../model/check/kit.js';
import { type WorkspaceDefinition } from '../../model/definition.js';
import { type Holding, type Kind, type Within } from '../../model/kind.js';
import { listIn } from '../../model/list-in.js';
import { type DefinitionPart, namesIn, partsOfWorkflow, partsOfWorkspace } from '../../model/names.js';
import { workflowKinds, workspaceKinds } from '../kinds.js';
import { nameKeyOf, partsOfKey } from '../merge/identities.js';
import { definitionSchema } from '../source/definition-schema.js';
import {
  DefinitionFaults,
  type Fault,
  faultAt,
  MAX_FAULTS,
  placeStored,
  withoutShadows,
} from '../source/faults.js';
import { type SourceDefinition } from '../source/read-definition.js';
import { checkKnown } from './check-names.js';
import Type, { type TSchema } from 'typebox';

/**
 * Checks the result of merging `source` into the stored definition. Throws `DefinitionFaults` if the check or
 * the reading of `source` found faults. If a fault is not in the file, its path names the stored element.
 * `isNew` means that the workspace does not exist yet.
 */
export const checkDefinition = (
  definition: WorkspaceDefinition,
  source: SourceDefinition,
  isNew = false,
  known: KnownSettings = {},
): void => {
  atOnce(checkingDefinition(definition, source, isNew, known));
};

/** Like `checkDefinition`, but yields between elements, so that other work can run. */
export function* checkingDefinition(
  definition: WorkspaceDefinition,
  source: SourceDefinition,
  isNew: boolean,
  known: KnownSettings,
): Generator<void, void> {
  if (source.faults.length > MAX_FAULTS) throw new DefinitionFaults(source.file, source.faults);
  const found: Fault[] = [];
  yield* findFaults(definition, source, isNew, known, found);
  if (source.faults.length + found.length > 0) throw refused(source, found);
}

const refused = ({ file, faults }: SourceDefinition, found: readonly Fault[]): DefinitionFaults =>
  new DefinitionFaults(file, [...faults, ...withoutShadows(found, faults)]);

function* findFaults(
  definition: WorkspaceDefinition,
  source: SourceDefinition,
  isNew: boolean,
  known: KnownSettings,
  faults: Fault[],
): Generator<void> {
  placeStored(definition);
  const report = reportTo((holder, key, said) => {
    faults.push(faultAt(holder, key, english(said)));
    if (faults.length > MAX_FAULTS) throw refused(source, faults);
  });
  yield;
  const scope = scopeOf(definition, known);
  reportLongLists(definition, report);
  if (faults.length > 0) return;
  yield* checkNames(scope, report);
  checkWorkspace(scope, report, isNew);
  yield* checkKinds('check', scope, report);
  if (source.faults.length + faults.length === 0) yield* checkKinds('checkSound', scope, report);
}

/** Reports each use of a name that no element has. */
function* checkNames(scope: WorkspaceScope, report: Report): Generator<void> {
  const check = (part: DefinitionPart, own?: WorkflowScope): void => {
    for (const use of namesIn(part)) checkKnown(use, scope, report, own);
  };
  const { definition } = scope;
  for (const workflow of definition.workflows) {
    const own = workflowScope(scope, workflow);
    for (const part of partsOfWorkflow(definitionSchema, workflow, definition)) {
      yield;
      check(part, own);
    }
  }
  for (const part of partsOfWorkspace(definitionSchema, definition)) check(part);
}

function checkWorkspace({ definition: { workspace } }: WorkspaceScope, report: Report, isNew: boolean): void {
  if (isNew && !isSecretPart(workspace.id))
    report(workspace, 'id', 'begins or ends with -, or contains --, so names of its secrets are ambiguous');
  if (workspace.name !== undefined) checkName(workspace.name, report.at(workspace, 'name'));
  const fault = workspace.timezone === undefined ? undefined : timezoneFault(workspace.timezone);
  if (fault !== undefined) report(workspace, 'timezone', fault);
}

function* checkKinds(phase: 'check' | 'checkSound', scope: WorkspaceScope, report: Report): Generator<void> {
  const { definition } = scope;
  for (const kind of workspaceKinds) yield* checkList(kind, phase, definition, scope, report);
  for (const workflow of definition.workflows) {
    const within = workflowScope(scope, workflow);
    for (const kind of workflowKinds) yield* checkList(kind, phase, workflow, within, report);
  }
}

function* checkList<Of extends Holding>(
  kind: Kind<object, Of>,
  phase: 'check' | 'checkSound',
  holder: object,
  within: Within<Of>,
  report: Report,
): Generator<void> {
  const elements = listIn(holder, kind.list);
  for (const element of elements) {
    yield;
    kind[phase]?.(element, within, report);
  }
  if (phase === 'check') checkKeys(kind, elements, report);
}

function checkKeys(kind: Kind, elements: readonly object[], report: Report): void {
  const key = nameKeyOf(kind);
  const noun = key === 'email' ? 'e-mail' : key;
  const same = kind.key.length > 1 ? ` of the same ${kind.key.slice(0, -1).join(' and ')}` : '';
  const uses = elements.map((holder) => {
    const text = partsOfKey(kind, holder).join('\n');
    return { holder, key, text: key === 'email' ? text.toLowerCase() : text };
  });
  checkDistinct(uses, `is the ${noun} of another ${kind.name}${same}`, report);
}

/**
 * Reports lists that exceed `maxItems` after the merge. The schema has checked only the lists in the file.
 */
function reportLongLists(holder: object, report: Report, schema: TSchema = definitionSchema): void {
  const properties = Type.IsObject(schema) ? schema.properties : {};
  for (const [key, list] of Object.entries<unknown>({ ...holder })) {
    const listed = properties[key];
    if (!Array.isArray(list) || !listed || !Type.IsArray(listed)) continue;
    const maxItems = Number(new Map<string, unknown>(Object.entries(listed)).get('maxItems') ?? Infinity);
    if (list.length > maxItems) report(holder, key, `has more than ${maxItems} entries`);
    for (const item of list as readonly unknown[])
      if (typeof item === 'object' && item !== null) reportLongLists(item, report, listed.items);
  }
}

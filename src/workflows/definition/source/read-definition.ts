import { atOnce } from '../../../../packages/fair/turn.js';
import { type WorkspaceDefinition, type WorkflowDefinition } from '../../model/definition.js';
import { isMapping, type JsonMapping, readShape, takePlace } from '../../model/definition-reader.js';
import { type WrittenStage } from '../../model/stage-definition.js';
import { definitionSchema } from './definition-schema.js';
import { DefinitionFaults, type Fault, withoutShadows } from './faults.js';
import { findSchemaFaults } from './json-schema.js';
import { locate, parsingDocument } from './parse-yaml.js';

/** A definition as read from a file. It may have faults until `checkDefinition` has accepted it. */
export interface SourceDefinition {
  readonly file: string;
  /** What could be read. Entries that `faults` mention may be missing or empty. */
  readonly definition: WorkspaceDefinition;
  /**
   * Faults in the form of the document. `checkDefinition` reports them together with the faults that it finds
   * itself.
   */
  readonly faults: readonly Fault[];
}

/**
 * Reads a workspace document in YAML 1.2 or JSON. Throws `DefinitionFaults` if the document cannot be parsed
 * or is not a mapping. Returns other faults for `checkDefinition`, so that people see all faults at once.
 */
export const readDefinition = (text: string, file: string): SourceDefinition =>
  atOnce(readingDefinition(text, file));

/** Like `readDefinition`, but yields between steps, so that other work can run. */
export function* readingDefinition(text: string, file: string): Generator<void, SourceDefinition> {
  const { value, faults } = yield* parsingDocument(text, file);
  yield;
  if (!isMapping(value)) {
    const message = 'is not a mapping: a definition begins with workspace: { id: acme }';
    throw new DefinitionFaults(file, faults.length > 0 ? faults : [{ path: '', line: 1, message }]);
  }
  const ofForm = withoutShadows(findSchemaFaults(value), faults);
  yield;
  return { file, definition: readWorkspace(value), faults: [...faults, ...ofForm] };
}

/**
 * Reads a stored workspace document. Does not check it by the schema, because the schema refuses some stored
 * documents. For example, an action that is available in all stages is stored with an empty `stages`.
 */
export function readStored(kept: object, file: string): SourceDefinition {
  // The original must not get a `SourcePlace`, so `locate` gets a copy. The cast is safe: `kept` is JSON.
  const value = structuredClone(kept) as JsonMapping;
  locate(value);
  return { file, definition: readWorkspace(value), faults: [] };
}

function readWorkspace(raw: JsonMapping): WorkspaceDefinition {
  // The schemas of the kinds guarantee this type.
  const written = readShape(definitionSchema, raw) as WrittenDefinition;
  const workflows = written.workflows.map((workflow) => takePlace(workflow, separateRemovedStages(workflow)));
  return takePlace(raw, { ...written, workflows: takePlace(written.workflows, workflows) });
}

/** A definition as people write it: `stages` also contains the stages to remove. */
type WrittenDefinition = Omit<WorkspaceDefinition, 'workflows'> & { readonly workflows: WrittenWorkflow[] };
type WrittenWorkflow = Omit<WorkflowDefinition, 'stages' | 'removed_stages'> & {
  readonly stages: WrittenStage[];
};

/** Splits the written stages into those that the file defines and those that the file removes. */
function separateRemovedStages({ stages, ...workflow }: WrittenWorkflow): WorkflowDefinition {
  const kept = stages
    .filter(({ removed }) => !removed)
    .map((stage) => takePlace(stage, without(stage, 'removed', 'move_tasks_to')));
  const removed = stages
    .filter(({ removed }) => removed)
    .map((stage) =>
      takePlace(stage, without(stage, 'removed', 'was', 'initial', 'end', 'outcome', 'enter', 'change')),
    );
  return {
    ...workflow,
    stages: takePlace(stages, kept),
    ...(removed.length > 0 && { removed_stages: takePlace(stages, removed) }),
  };
}

function without<T extends object, K extends keyof T>(element: T, ...keys: readonly K[]): Omit<T, K> {
  const rest = { ...element };
  for (const key of keys) Reflect.deleteProperty(rest, key);
  return rest;
}

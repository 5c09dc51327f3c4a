import {
  type WorkspaceDefinition,
  type WorkflowDefinition,
  type WrittenWorkflow,
} from '../../workspace/definition.js';
import { isMapping, type JsonMapping, readShape, takePlace } from '../../workspace/definition-reader.js';
import { definitionSchema } from './definition-schema.js';
import { DefinitionFaults, type Fault, withoutShadows } from './faults.js';
import { findSchemaFaults } from './json-schema.js';
import { locate, parseDocument } from './parse-yaml.js';

/** A definition as a file has it; not to be used before `checkDefinition` has passed it. */
export interface SourceDefinition {
  readonly file: string;
  /** What could be read: whatever `faults` complain about may be missing or empty. */
  readonly definition: WorkspaceDefinition;
  /** What is wrong with the document's form. `checkDefinition` reports it together with its own faults. */
  readonly faults: readonly Fault[];
  /** What is to be told where it changes anything, beside what checks find. */
  readonly notes?: readonly Fault[];
}

/**
 * Reads a workspace document, YAML 1.2 or JSON. Throws `DefinitionFaults` where the text is neither, or no mapping; what is wrong
 * with a document that can be parsed is kept for `checkDefinition`, so that people see all of it at once.
 */
export function readDefinition(text: string, file: string): SourceDefinition {
  const { value, faults } = parseDocument(text, file);
  if (!isMapping(value)) {
    const message = `is ${value === null ? 'empty' : Array.isArray(value) ? 'a list' : 'one value'}: a definition begins with workspace: { id: acme }, and goes on with users:, workflows:, relationships:, webhooks:, channels:, calendars:, views: or notifications:`;
    throw new DefinitionFaults(file, faults.length > 0 ? faults : [{ path: '', line: 1, message }]);
  }
  return {
    file,
    definition: readWorkspace(value),
    faults: [...faults, ...withoutShadows(findSchemaFaults(value), faults)],
  };
}

/**
 * Reads a workspace document that the database keeps, filled in as it is: no bound of what people write holds for it, and an
 * action of every stage has none there.
 */
export function readStored(kept: object, file: string): SourceDefinition {
  // A copy, as what it is of has no place in a file. What is kept as JSON is JSON.
  const value = structuredClone(kept) as JsonMapping;
  locate(value);
  return { file, definition: readWorkspace(value), faults: [] };
}

function readWorkspace(raw: JsonMapping): WorkspaceDefinition {
  const written = readShape(definitionSchema, raw);
  const workflows = written.workflows.map((workflow) => takePlace(workflow, separateRemovedStages(workflow)));
  return takePlace(raw, { ...written, workflows: takePlace(written.workflows, workflows) });
}

/** Tells the stages that a file removes from those that there shall be. */
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

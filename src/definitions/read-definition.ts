import { type Fault, withoutShadows } from './definition-faults.js';
import { type RelationshipEnd, type UserDefinition, type WorkspaceDefinition } from './definition.js';
import { type JsonMapping, type JsonValue } from './json-value.js';
import { parseDocument } from './parse-document.js';
import { takePlace } from './place.js';
import { readWorkflow } from './read-workflow.js';
import { findSchemaFaults } from './schema-faults.js';
import { asChoice, asFlag, asMapping, asMappings, asText, optional } from './shape.js';

/** A definition as a file has it; not to be used before `checkDefinition` has passed it. */
export interface SourceDefinition {
  readonly file: string;
  /** What could be read: whatever `faults` complain about may be missing or empty. */
  readonly definition: WorkspaceDefinition;
  /** What the document's form leaves wanting. `checkDefinition` tells them together with its own. */
  readonly faults: readonly Fault[];
}

/**
 * Reads a workspace document, YAML 1.2 or JSON. Throws `DefinitionFaults` where the text is neither; what is wrong
 * with a document that can be parsed is kept for `checkDefinition`, so that people see all of it at once.
 */
export function readDefinition(text: string, file: string): SourceDefinition {
  const { value, faults } = parseDocument(text, file);
  return {
    file,
    definition: readWorkspace(value),
    faults: [...faults, ...withoutShadows(findSchemaFaults(value), faults)],
  };
}

function readWorkspace(value: JsonValue): WorkspaceDefinition {
  const raw = asMapping(value);
  return takePlace(raw, {
    workspace: takePlace(asMapping(raw.workspace), {
      id: asText(asMapping(raw.workspace).id),
      ...optional('name', asMapping(raw.workspace).name, asText),
      ...optional('timezone', asMapping(raw.workspace).timezone, asText),
    }),
    users: asMappings(raw.users, readUser),
    workflows: asMappings(raw.workflows, readWorkflow),
    relationships: asMappings(raw.relationships, (relationship) => ({
      id: asText(relationship.id),
      kind: asChoice(relationship.kind, ['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many']),
      from: readEnd(asMapping(relationship.from)),
      to: readEnd(asMapping(relationship.to)),
    })),
  });
}

function readUser({ email, was, first_name, last_name, active }: JsonMapping): UserDefinition {
  return {
    email: asText(email),
    ...optional('was', was, asText),
    first_name: asText(first_name) || null,
    last_name: asText(last_name) || null,
    active: asFlag(active, true),
  };
}

function readEnd(raw: JsonMapping): RelationshipEnd {
  return takePlace(raw, { workflow: asText(raw.workflow), name: asText(raw.name) });
}

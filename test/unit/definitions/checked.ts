import { checkDefinition } from '../../../src/workflows/definition/check/check-definition.js';
import { mergeDefinitions } from '../../../src/workflows/definition/merge/merge-definitions.js';
import { DefinitionFaults } from '../../../src/workflows/definition/source/faults.js';
import { readDefinition } from '../../../src/workflows/definition/source/read-definition.js';
import { type KnownSettings } from '../../../src/workflows/model/check/kit.js';
import { type WorkspaceDefinition } from '../../../src/workflows/model/definition.js';

interface Checked {
  /** The definition in force; without it the workspace is new. */
  readonly stored?: WorkspaceDefinition;
  readonly known?: KnownSettings;
}

const read = (text: string): WorkspaceDefinition => readDefinition(text, 'f').definition;

/** The definition in force after this file was applied to nothing. */
export const storedAs = (text: string): WorkspaceDefinition => mergeDefinitions(undefined, read(text));

/** The faults for which a file `f` is refused: one line each, such as `f:3: users[0].email: is …`. */
export function faultsOf(text: string, { stored, known }: Checked = {}): readonly string[] {
  try {
    const source = readDefinition(text, 'f');
    checkDefinition(mergeDefinitions(stored, source.definition), source, stored === undefined, known);
    return [];
  } catch (error) {
    if (error instanceof DefinitionFaults) return error.message.split('\n');
    throw error;
  }
}

/** A text with another in the place of one that stands in it once. */
export function edited(text: string, from: string, to: string): string {
  const [before, after, ...more] = text.split(from);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`not there once: ${from}`);
  return before + to + after;
}

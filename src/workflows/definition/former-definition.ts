import { rollbackDefinition, stagesRemovedSince } from './merge/rollback.js';
import { readStored, type SourceDefinition } from './source/read-definition.js';
import { type FormerVersion } from './store/history.js';

/** The definition of a former version as a file, with `was:` for everything that has been renamed since. */
export function formerDefinition(workspace: string, { former, since }: FormerVersion): SourceDefinition {
  const source = readStored(former.definition, `version ${former.version} of ${workspace}`);
  const notes = [
    ...stagesRemovedSince(source.definition, since).map(
      (stage) => `stage ${stage} comes back empty: tasks that were moved out of it stay where they are`,
    ),
    'the definition file stays as it is: change it too, or its next apply undoes this',
  ];
  return {
    ...source,
    definition: rollbackDefinition(source.definition, since),
    notes: notes.map((message) => ({ path: '', message })),
  };
}

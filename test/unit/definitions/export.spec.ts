import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { checkDefinition } from '../../../src/definitions/check/check-definition.js';
import { type WorkspaceDefinition } from '../../../src/workspace/definition.js';
import { exportDefinition, renderYaml } from '../../../src/definitions/source/write-yaml.js';
import { readDefinition } from '../../../src/definitions/source/read-definition.js';
import { anyDefinition } from '../../support/any-definition.js';

const onboarding = readFileSync(new URL('../../fixtures/onboarding.yaml', import.meta.url), 'utf8');

function read(text: string): WorkspaceDefinition {
  const source = readDefinition(text, 'f');
  checkDefinition(source.definition, source);
  return source.definition;
}

/** A definition as the database gives it back: documents are kept as JSON. */
function stored(definition: WorkspaceDefinition): WorkspaceDefinition {
  const { id, name = id, timezone = 'UTC' } = definition.workspace;
  return JSON.parse(JSON.stringify({ ...definition, workspace: { id, name, timezone } })) as WorkspaceDefinition; // prettier-ignore
}

describe('an exported definition', () => {
  it('reads as the full example was written', () => {
    const exported = renderYaml(exportDefinition(stored(read(onboarding))));
    // The example has a comment, breaks long lines and quotes what it need not.
    const plain = onboarding
      .replace(/^#.*\n/, '')
      .replace(/\{\n */g, '{ ')
      .replace(/,\n *\}/g, ' }')
      .replace(/,\n */g, ', ')
      .replace("'International?'", 'International?')
      .replace("'today()'", 'today()');
    expect(exported).toBe(plain);
  });

  it('reads as the same definition, whatever it holds, in YAML and in JSON', () => {
    fc.assert(
      fc.property(anyDefinition('acme'), (document) => {
        const definition = stored(read(JSON.stringify(document)));
        const exported = exportDefinition(definition);
        for (const text of [renderYaml(exported), JSON.stringify(exported)])
          expect(stored(read(text))).toEqual(definition);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });
});

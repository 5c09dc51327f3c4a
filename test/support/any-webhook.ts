import fc from 'fast-check';
import { eventTypes } from '../../src/entities/column-values.js';
import { type JsonMapping } from '../../src/workspace/definition-reader.js';
import { type WorkflowPlan } from './any-definition.js';
import { anyId, some, sparse } from './any-text.js';

/** Webhooks of a workspace with these workflows. */
export function anyWebhooks(workflows: readonly WorkflowPlan[]): fc.Arbitrary<JsonMapping[]> {
  return fc
    .uniqueArray(anyId, { maxLength: 2 })
    .chain((ids) => fc.tuple(...ids.map((id) => anyWebhook(id, workflows))));
}

/** A webhook for some of the workflows, or for all; its keys come from these workflows. */
function anyWebhook(id: string, workflows: readonly WorkflowPlan[]): fc.Arbitrary<JsonMapping> {
  const about = workflows.length > 0 ? fc.option(some(workflows, 1)) : fc.constant(null);
  return about.chain((named) => {
    const fields = (named ?? workflows).flatMap(({ fields }) => fields.map(({ name }) => name));
    const keys = [...new Set(['Stage', 'Assigned To', ...fields])];
    return sparse(
      {
        id: fc.constant(id),
        url: fc.constantFrom('https://a.test', 'http://a.test:8080/x?a=b&c', 'https://ü.test/ö'),
        events: some(eventTypes, 1),
        ...(named && { workflows: fc.constant(named.map(({ id }) => id)) }),
      },
      {
        fields: some(keys, 1),
        when: fc.constantFrom('true', 'task["Stage"] != before["Stage"]', '1 <\n 2', '"a: #b" == \'- x\''),
        include: fc.constantFrom('changes', 'task'),
        headers: fc.dictionary(
          fc.constantFrom('X-Team', 'default', '1', 'Authorization'),
          fc.constantFrom('{{secret.T}}', 'Bearer {{secret.T}}: #', '5{{secret.T}}'),
        ),
      },
    );
  });
}

import { mergeDefinitions } from '../../../src/workflows/definition/merge/merge-definitions.js';
import { readDefinition } from '../../../src/workflows/definition/source/read-definition.js';
import { views } from '../../../src/workflows/model/kinds/views.kind.js';
import { faultsOf, storedAs } from './checked.js';

const acme = (view: string, stage = '{ name: Open }', risk = '{ name: Risk, type: text }'): string => `
workspace: { id: acme }
workflows:
  - id: vendors
    name: Vendors
    stages: [${stage}, { name: Done, end: true }]
    fields: [{ name: Vendor ID, type: uniqueId, required: true }, ${risk}]
  - id: orders
    name: Orders
    stages: [{ name: New }]
    fields: [{ name: Order, type: uniqueId, required: true }]
relationships:
  - { id: orders, kind: one_to_many, from: { workflow: vendors, name: Orders }, to: { workflow: orders, name: Vendor } }
views: [{ ${view} }]
`;
const risky =
  'id: risky, name: Risky, workflow: vendors, query: Risk=High&Stage=Open&_sort=-Risk, columns: [Risk, Stage]';

describe('a view of a definition', () => {
  it('follows the renames of fields and stages', () => {
    const file = acme(
      'id: all, name: All, workflow: vendors',
      '{ name: Begun, was: Open }',
      '{ name: Peril, was: Risk, type: text }',
    );
    const merged = mergeDefinitions(storedAs(acme(risky)), readDefinition(file, 'f').definition);
    const followed = { query: 'Peril=High&Stage=Begun&_sort=-Peril', columns: ['Peril', 'Stage'] };
    expect(views.in(merged)[0]).toMatchObject(followed);
  });

  it('is refused if its workflow is unknown', () => {
    expect(faultsOf(acme(risky))).toEqual([]);
    expect(faultsOf(acme(risky.replace('vendors', 'vendor')))).toEqual([
      'f:14: views[0].workflow: is not a workflow of this workspace: vendor; did you mean vendors?',
    ]);
  });
});

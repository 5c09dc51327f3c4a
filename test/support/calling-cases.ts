export const cases = '/api/v1/workflows/cases/tasks';
export const executions = '/api/v1/workflows/cases/executions';

/** A workspace whose action `call` changes its case, and calls the receiver at this URL twice. */
export const callsTo = (url: string): string => `
workspace: { id: acme, name: Acme }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Count, type: number }]
    actions:
      - { id: move, name: Move, steps: [{ name: Move, type: move_to_stage, stage: Done }] }
      - id: call
        name: Call
        steps:
          - { name: Add, type: update_fields, set: { Count: { expression: 'task["Count"] + 1' } } }
          - { name: First, type: api_call, url: '${url}/{{ID}}/first', timeout_seconds: 120 }
          - { name: Second, type: api_call, url: '${url}/{{ID}}/second', timeout_seconds: 120 }
          - { name: Move, type: move_to_stage, stage: Done }
`;

/** How many rules and clocks the workflow of a run has. */
export interface Wanted {
  readonly rules: number;
  readonly clocks: number;
}

const more = 'limit: { per_rule: 900000 per minute, per_task: 900000 per minute }';

/**
 * A workspace whose tasks have so many rules: each creation triggers one, half of the others read the task and are
 * false, and the rest wait for something else. The clocks run all the time.
 */
export const timeDefinition = ({ rules, clocks }: Wanted): string => `
workspace: { id: bench, name: Bench }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Review }, { name: Waiting }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Amount, type: currency }
      - { name: Score, type: number }
      - { name: Note, type: text }
      - { name: Level, type: singleSelect, options: [Low, High] }
      - { name: Due, type: datetime }
    actions:
      - { id: noted, name: Note, steps: [{ name: Note, type: update_fields, set: { Note: noted } }] }
    rules: [${Array.from({ length: rules }, (_, at) => ruleOf(at)).join(', ')}]
    clocks: [${clocksOf(clocks).join(', ')}]
`;

function ruleOf(at: number): string {
  if (at === 0) return `{ id: met, on: created, when: 'task["Level"] == "High"', run: noted, ${more} }`;
  if (at % 2 === 0) return `{ id: other-${at}, on: stage_entered, stage: Done, run: noted }`;
  return `{ id: false-${at}, on: field_changed, field: Amount, when: 'task["Score"] > ${1000 + at}', run: noted }`;
}

function clocksOf(count: number): string[] {
  return [
    '{ id: due, due: { field: Due }, rungs: [{ at: 100%, run: noted }] }',
    '{ id: review, starts: { stages: [New, Review] }, pauses: { stages: [Waiting] }, budget: { field: Level, of: { High: 4 hours }, else: 30 days }, rungs: [{ at: 50% }, { at: 100% }] }',
    '{ id: answer, starts: { stages: [New] }, budget: 90 days, rungs: [{ at: 100% }] }',
    '{ id: wait, while: { stages: [New, Waiting] }, budget: 60 days, rungs: [{ at: 100% }] }',
    '{ id: all, starts: { stages: [New] }, budget: 900 days, rungs: [{ at: 100% }] }',
  ].slice(0, count);
}

export const timePath = '/api/v1/workflows/cases/tasks';

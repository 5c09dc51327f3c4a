import { schedules } from '../../../src/automation/schedules/schedules.kind.js';
import { mergeDefinitions } from '../../../src/workflows/definition/merge/merge-definitions.js';
import { readDefinition } from '../../../src/workflows/definition/source/read-definition.js';
import { faultsOf, storedAs } from '../definitions/checked.js';

// What a definition may say of schedules, and where it is told what is wrong.
const text = (schedule: string): string => `
workspace: { id: acme, name: Acme, timezone: Europe/Berlin }
users: [{ email: mina@acme.test }]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: New }, { name: Waiting }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Due, type: date }
      - { name: Name, type: text, required: true }
      - { name: Docs, type: file }
    actions: [{ id: close, name: Close, steps: [{ name: Go, type: move_to_stage, stage: Done }] }]
    schedules: [{ id: s, ${schedule} }]
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: vendors, name: Parts }, to: { workflow: vendors, name: Whole } }
calendars: [{ id: office, timezone: Europe/Berlin, hours: { mon-fri: "09:00-17:00" } }]
`;
const monday = 'cron: "0 7 * * MON"';

describe('a schedule of a definition', () => {
  it.each([
    'create: { ID: "W-{{date}}", Name: x }',
    'for: "Whole.Name=Desk", run: close',
    'create: { ID: "{{week}}", Name: "{{month}}", Due: "{{date + 14 days}}", Stage: Waiting, Assigned To: mina@acme.test }',
    'for: "Stage=New&Due[lt]={{date - 3 days}}&_updated[lt]={{now - 72 hours}}", run: close',
    'calendar: office, for: "ID=1&ID=2", run: close',
  ])('may say %s', (schedule) => {
    expect(faultsOf(text(`${monday}, ${schedule}`))).toEqual([]);
  });

  it('may create a task an hour', () => {
    expect(faultsOf(text('cron: "0 * * * *", create: { ID: "{{date}} {{time}}", Name: x }'))).toEqual([]);
  });

  it.each([
    ['calendar: office', 'id: needs exactly one thing to do: write either create, or for and run'],
    ['create: { ID: "{{date}}", Name: x }, run: close', 'id: needs exactly one thing to do'],
    ['run: close', 'id: needs exactly one thing to do'],
    ['for: Stage=New', 'id: needs exactly one thing to do'],
    ['for: Stage=New, run: cloze', 'run: is not an action of workflow vendors: cloze; did you mean close?'],
    ['for: "Sage=New", run: close', 'for: is not a query of workflow vendors: Sage is not a field of this workflow'],
    ['for: "_sort=Due", run: close', 'for: is not a query of workflow vendors: _sort is not for schedules: the action starts on all tasks found'],
    ['for: "Due={{dat}}", run: close', 'for: holds {{dat}}: allowed are date, time'],
    ['for: "Due={{date", run: close', 'for: has a {{ without }}'],
    ['create: { ID: "{{date}}" }', 'create: leaves out Name, which is required for tasks of workflow vendors'],
    ['create: { ID: "{{date}}", Name: x, Docs: a.txt }', 'create.Docs: is a file field, which cannot be set'],
    ['create: { ID: "{{date}}", Name: x, Due: "W-{{date}}" }', 'create.Due: '],
  ])('is refused with its place for %s', (schedule, fault) => {
    expect(faultsOf(text(`${monday}, ${schedule}`))).toEqual([expect.stringContaining(`: workflows[0].schedules[0].${fault}`)]);
  }); // prettier-ignore

  it.each([
    ['a day of the month and of the week', 'cron: "0 7 1 * MON", for: Stage=New, run: close', /cron: names a day of the month and a day of the week/],
    ['one ID for all', `${monday}, create: { ID: weekly, Name: x }`, /create.ID: is the same at every firing: use {{date}} and {{time}} to tell firings apart$/],
  ])('is refused for firings that contradict each other: %s', (_, schedule, fault) => {
    expect(faultsOf(text(schedule))).toEqual([expect.stringMatching(fault)]);
  }); // prettier-ignore

  it('follows the renames of fields, stages and users', () => {
    const query = 'Stage=Waiting&Due[lt]={{date - 3 days}}&Assigned+To=mina@acme.test';
    const { definition: file } = readDefinition(
      `
workspace: { id: acme }
users: [{ email: min&a@acme.test, was: mina@acme.test }]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: Held Up, was: Waiting }]
    fields: [{ name: Due = By, was: Due, type: date }]`,
      'f',
    );
    const merged = mergeDefinitions(storedAs(text(`${monday}, for: "${query}", run: close`)), file);
    const [schedule] = schedules.in(merged.workflows[0] ?? {});
    expect(schedule?.for).toBe(
      'Stage=Held Up&Due %3D By[lt]={{date - 3 days}}&Assigned To=min%26a@acme.test',
    );
  });
});

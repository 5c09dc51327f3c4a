import { schedules } from '../../../src/automation/schedules/schedules.kind.js';
import { checkDefinition } from '../../../src/workflows/definition/check/check-definition.js';
import { DefinitionFaults } from '../../../src/workflows/definition/source/faults.js';
import { mergeDefinitions } from '../../../src/workflows/definition/merge/merge-definitions.js';
import { readDefinition } from '../../../src/workflows/definition/source/read-definition.js';

// time.md, 4 and 8: what a definition may say of schedules, and where it is told what is wrong.
const text = (schedule: string, more = ''): string => `
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
    schedules: [{ ${schedule} }]
calendars: [{ id: office, timezone: Europe/Berlin, hours: { mon-fri: "09:00-17:00" } }]
${more}`;

function faultsOf(schedule: string): string[] {
  const source = readDefinition(text(schedule), 'f');
  try {
    checkDefinition(source.definition, source, true);
    return [];
  } catch (error) {
    if (!(error instanceof DefinitionFaults)) throw error;
    return error.faults.map(
      ({ path, message }) => `${path.replace('workflows[0].schedules[0].', '')}: ${message}`,
    );
  }
}

const id = 'id: s, cron: "0 7 * * MON"';

it.each([
  [`${id}, create: { ID: "W-{{date}}", Name: x }`],
  [
    `${id}, create: { ID: "{{week}}", Name: "{{month}}", Due: "{{date + 14 days}}", Stage: Waiting, Assigned To: mina@acme.test }`,
  ],
  [
    `${id}, for: "Stage=New&Due[lt]={{date - 3 days}}&_updated[lt]={{now - 72 hours}}", run: close, missed: skip`,
  ],
  [`${id}, timezone: America/New_York, calendar: office, for: "ID=1&ID=2", run: close`],
  [`id: s, cron: "0 * * * *", create: { ID: "{{date}} {{time}}", Name: x }`],
])('takes %s', (schedule) => {
  expect(faultsOf(schedule)).toEqual([]);
});

it.each([
  [id, ['id: has nothing to do: write create, or for and run']],
  [
    `${id}, create: { ID: "{{date}}", Name: x }, run: close`,
    ['create: cannot be combined with for and run: write one or the other'],
  ],
  [`${id}, run: close`, ['for: is required if run is given']],
  [`${id}, for: Stage=New`, ['run: is required if for is given']],
  [
    `${id}, for: Stage=New, run: cloze`,
    ['run: is not an action of workflow vendors: cloze; did you mean close?'],
  ],
  [
    `id: s, cron: "0 7 1 * MON", for: Stage=New, run: close`,
    [expect.stringMatching(/^cron: names a day of the month and a day of the week/)],
  ],
  [
    `${id}, for: "Sage=New", run: close`,
    [expect.stringMatching(/^for: is not a query of workflow vendors: Sage is not a field of this workflow/)],
  ],
  [
    `${id}, for: "_sort=Due", run: close`,
    [
      'for: is not a query of workflow vendors: _sort is not for schedules: the action starts on all tasks found',
    ],
  ],
  [
    `${id}, for: "Due={{dat}}", run: close`,
    [expect.stringMatching(/^for: holds {{dat}}: allowed are date, time/)],
  ],
  [`${id}, for: "Due={{date", run: close`, ['for: has a {{ without }}']],
  [
    `${id}, create: { ID: weekly, Name: x }`,
    [
      expect.stringMatching(
        /^create.ID: is weekly at .* and at .*, so the second is skipped: use {{date}} and {{time}} to tell firings apart$/,
      ),
    ],
  ],
  [
    `id: s, cron: "0 7,19 * * *", create: { ID: "{{date}}", Name: x }`,
    [expect.stringMatching(/^create.ID: is 20.* at .*T07:00.* and at .*T19:00/)],
  ],
  [
    `${id}, create: { ID: "{{date}}" }`,
    ['create: leaves out Name, which is required for tasks of workflow vendors'],
  ],
  [
    `${id}, create: { ID: "{{date}}", Name: x, Docs: a.txt }`,
    ['create.Docs: is a file field, which a schedule cannot set'],
  ],
  [`${id}, create: { ID: "{{date}}", Name: x, Due: "W-{{date}}" }`, [expect.stringMatching(/^create.Due: /)]],
])('refuses %s, with its place', (schedule, faults) => {
  expect(faultsOf(schedule)).toEqual(faults);
});

it('follows the renames of fields, stages and users', () => {
  const stored = readDefinition(
    text(`${id}, for: "Stage=Waiting&Due[lt]={{date - 3 days}}&Assigned+To=mina@acme.test", run: close`),
    'f',
  ).definition;
  const file = readDefinition(
    `
workspace: { id: acme }
users: [{ email: min&a@acme.test, was: mina@acme.test }]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: Held Up, was: Waiting }]
    fields: [{ name: Due = By, was: Due, type: date }]`,
    'f',
  ).definition;
  const [schedule] = schedules.in(mergeDefinitions(stored, file).workflows[0] ?? {});
  expect(schedule?.for).toBe('Stage=Held Up&Due %3D By[lt]={{date - 3 days}}&Assigned To=min%26a@acme.test');
});

it('refuses calendars with the places of their faults', () => {
  const source = readDefinition(
    'workspace: { id: acme }\ncalendars: [{ id: c, timezone: Nowhere, hours: { mon: ["09:00-12:00", "25:00-26:00"] }, holidays: [13-45] }]',
    'f',
  );
  const check = (): unknown => checkDefinition(source.definition, source, true);
  expect(check).toThrow(/calendars\[0\]\.timezone: is not a time zone[^]*hours\.mon\[1\][^]*holidays\[0\]/);
});

const fieldTypes = [
  `name: Title, type: text, required: true`,
  `name: Notes, type: longText`,
  `name: Priority, type: number, decimals: 0`,
  `name: Score, type: number, decimals: 2`,
  `name: Amount, type: currency`,
  `name: Phone, type: phone`,
  `name: Due Date, type: date`,
  `name: Last Contact, type: datetime`,
  `name: Owner, type: person`,
  `name: Tier, type: singleSelect, options: [Platinum, Gold, Silver, Bronze, Basic]`,
  `name: Regions, type: multipleSelect, options: [EMEA, AMER, APAC]`,
  `name: 'Urgent?', type: checkbox`,
  `name: E-mail, type: email`,
  `name: Website, type: url`,
  `name: City, type: text`,
];

const partFields = 9;

const fields = (key: string, count = fieldTypes.length): string => listed(key, fieldTypes.slice(0, count));

const listed = (key: string, types: readonly string[]): string =>
  [`name: ${key}, type: uniqueId, required: true`, ...types]
    .map((field) => `\n      - { ${field} }`)
    .join('');

/**
 * Orders linked to parts, which have fewer fields; papers with attachments; and a workflow with an index beside one
 * without.
 */
const linked = `
  - id: orders
    name: Orders
    stages: [{ name: New }]
    fields: ${fields('Order ID')}
  - id: parts
    name: Parts
    stages: [{ name: New }]
    fields: ${fields('Part ID', partFields)}
  - id: papers
    name: Papers
    stages: [{ name: New }]
    fields: ${fields('Paper ID')}
      - { name: Files, type: file }
  - id: kept
    name: Kept
    stages: [{ name: New }]
    fields: ${fields('Case ID').replace('type: currency', '$&, index: true')}
  - id: unkept
    name: Unkept
    stages: [{ name: New }]
    fields: ${fields('Case ID')}
relationships:
  - id: parts
    kind: one_to_many
    from: { workflow: orders, name: Parts }
    to: { workflow: parts, name: Order }
`;

/** The workspace of the benchmark: a workflow with 16 fields, the workflows for comparison, and 20 users. */
export const definition = `
workspace: { id: bench, name: Bench }
users:
${Array.from({ length: 20 }, (_, n) => `  - { email: user${n}@bench.test, first_name: User, last_name: No ${n} }`).join('\n')}
workflows:
  - id: cases
    name: Cases
    stages:
      - { name: New }
      - { name: In Review }
      - { name: Waiting }
      - { name: Done, end: true }
    fields: ${fields('Case ID')}
    actions:
      - { id: review, name: Review, steps: [{ name: Move, type: move_to_stage, stage: In Review }] }${linked}`;

/** Workflows with the same fields but different indexes, which their names describe. */
export const indexedDefinition = `
workspace: { id: bench, name: Bench }
users:
${Array.from({ length: 20 }, (_, n) => `  - { email: user${n}@bench.test }`).join('\n')}
workflows:${indexedWorkflow('none', 0)}${indexedWorkflow('one', 1)}${indexedWorkflow('ten', 10)}${indexedWorkflow('words', 0, true)}
`;

/** Gives the first so many of the fields that allow it an index. */
function indexedWorkflow(id: string, count: number, isSearched = false): string {
  const types = fieldTypes.map((type, at) => (at < count ? `${type}, index: true` : type));
  return `
  - id: ${id}
    name: ${id}${isSearched ? '\n    search: true' : ''}
    stages: [{ name: New }]
    fields: ${listed('Case ID', types)}`;
}

/** The stored value of each field for the task of number `i`, as SQL; a city and a tier have 1 in 5,000 tasks. */
export const caseValues: Readonly<Record<string, string>> = {
  Title: `'Case number ' || i || ' of the north-east district'`,
  Notes: `'The customer called about order ' || i * 7 || ' and wants an answer by Monday, in writing: “soon”.'`,
  Priority: `(i % 9 + 1)::text`,
  Score: `i % 97 || '.5'`,
  Amount: `i % 9000 + 100 || '.25'`,
  Phone: `'+49 30 ' || 1000000 + i`,
  'Due Date': `to_char(date '2026-01-01' + i % 700, 'YYYY-MM-DD')`,
  'Last Contact': `to_char(timestamp '2025-01-01' + i * interval '97 seconds', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`,
  Owner: `users.ids[1 + i % 20]`,
  Tier: `(ARRAY['Platinum', 'Gold', 'Silver', 'Bronze', 'Basic'])[1 + i / 1000 % 5]`,
  Regions: `(ARRAY['["EMEA"]', '["AMER", "EMEA"]', '["AMER", "APAC"]', '["APAC"]'])[1 + i % 4]::jsonb`,
  'Urgent?': `CASE WHEN i % 3 = 0 THEN true END`,
  'E-mail': `'customer' || i || '@example.org'`,
  Website: `'https://www.example.org/customers/' || i`,
  City: `'City ' || i % 1000`,
};

/** Values of the fields that parts have. */
export const partValues = Object.fromEntries(Object.entries(caseValues).slice(0, partFields));

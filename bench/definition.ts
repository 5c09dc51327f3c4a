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

const fields = ['name: Case ID, type: uniqueId, required: true', ...fieldTypes]
  .map((field) => `\n      - { ${field} }`)
  .join('');

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
    fields: ${fields}
    actions:
      - { id: review, name: Review, steps: [{ name: Move, type: move_to_stage, stage: In Review }] }`;

/** The stored value of each field of task `i`, as SQL. One in 5,000 tasks has a given city and tier. */
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

/** A workspace with one workflow that has fields of most types. */
export const everyType = `
workspace: { id: acme, name: Acme }
users:
  - { email: Mina@acme.test, first_name: Mina, last_name: Ray }
  - { email: theo@acme.test, first_name: Theo, last_name: Voss }
  - { email: gone@acme.test, active: false }
workflows:
  - id: things
    name: Things
    stages:
      - { name: New }
      - { name: In Review }
      - { name: Done, end: true }
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Text, type: text }
      - { name: Long Text, type: longText }
      - { name: Number, type: number, decimals: 3 }
      - { name: Price, type: currency }
      - { name: Phone, type: phone }
      - { name: Day, type: date }
      - { name: Moment, type: datetime }
      - { name: Owner, type: person }
      - { name: Tier, type: singleSelect, options: [Gold, Silver] }
      - { name: Regions, type: multipleSelect, options: [EMEA, AMER, APAC] }
      - { name: "Open?", type: checkbox }
      - { name: Contract, type: file, limit: 2 }
      - { name: E-mail, type: email }
      - { name: Website, type: url }
  - id: parts
    name: Parts
    stages: [{ name: Open }]
    fields:
      - { name: Part ID, type: uniqueId, required: true }
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: things, name: Parts }, to: { workflow: parts, name: Thing } }
`;

/** The answer for a task of `things` that has only an id. */
export const blankThing = {
  Stage: 'New',
  'Assigned To': null,
  ID: '1',
  Text: null,
  'Long Text': null,
  Number: null,
  Price: null,
  Phone: null,
  Day: null,
  Moment: null,
  Owner: null,
  Tier: null,
  Regions: [],
  'Open?': false,
  Contract: [],
  'E-mail': null,
  Website: null,
  Parts: [],
};

/** A workspace with one workflow that has these fields, each a flow mapping of YAML. */
export function workflowOf(fields: readonly string[], workspace = 'acme'): string {
  return `
workspace: { id: ${workspace}, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
${fields.map((field) => `      - { ${field} }`).join('\n')}
`;
}

/** The parts of the answer to `GET /api/v1/workflows/{id}` from which types are generated. */
export interface DescribedWorkflow {
  readonly id: string;
  readonly stages: readonly { readonly name: string }[];
  readonly fields: readonly {
    readonly name: string;
    readonly type: string;
    readonly options?: readonly string[];
  }[];
  readonly actions?: readonly { readonly id: string; readonly fields?: readonly (string | Asked)[] }[];
  readonly relationships?: readonly Relationship[];
}

type Asked = { readonly field: string; readonly required?: boolean };
type Relationship = { readonly kind: string } & Readonly<
  Record<'from' | 'to', Record<'workflow' | 'name', string>>
>;
type Field = DescribedWorkflow['fields'][number];

export function describeTypes(workspace: string, workflows: readonly DescribedWorkflow[]): string {
  const name = nameOf(workspace);
  const known = new Map(workflows.map((workflow) => [workflow.id, workflow]));
  const parts = workflows.map(
    (workflow) => `  ${quoted(workflow.id)}: {\n${describe(name, workflow, known)}  };\n`,
  );
  return [
    `// Made by wts-types. Generate this file again when the definition of ${workspace} has changed.\n`,
    "import type { Attachment, Open, SentFile } from '@wts/client';\n\n",
    `export interface ${name} {\n${parts.join('')}}\n`,
  ].join('');
}

function describe(
  name: string,
  workflow: DescribedWorkflow,
  known: ReadonlyMap<string, DescribedWorkflow>,
): string {
  const { fields, stages, actions = [] } = workflow;
  const links = linksOf(workflow);
  const builtIns = [
    ['Stage', openOf(stages.map(({ name }) => name))],
    ['Assigned To', 'string | null'],
    ['Task URL', 'string'],
  ];
  const shown = [...builtIns, ...fields.map((field) => [field.name, shownAs(field)])];
  const linked = links.map(({ end, other, isMany }) => {
    const task = known.has(other) ? `${name}[${quoted(other)}]['fields']` : 'Record<string, unknown>';
    return [end, isMany ? `${task}[]` : `${task} | null`];
  });
  const sent = [
    ...builtIns,
    ...fields.map((field) => [field.name, sentAs(field)]),
    ...links.map(({ end, other, isMany }) => {
      const id = known.get(other)?.fields.find(({ type }) => type === 'uniqueId')?.name;
      const reference = id === undefined ? 'object' : `{ readonly ${quoted(id)}: string | number }`;
      return [
        end,
        isMany ? `readonly ${id === undefined ? reference : `(${reference})`}[]` : `${reference} | null`,
      ];
    }),
  ];
  const asked = actions.map(({ id, fields: all = [] }) => [id, askedOf(all, fields)]);
  return [
    block('fields', shown, (key, type) => `${key}: ${type}`),
    block('links', linked, (key, type) => `${key}: ${type}`),
    block('payload', sent, (key, type) => `readonly ${key}?: ${type} | undefined`),
    block('actions', asked, (key, type) => `${key}: ${type}`),
  ].join('');
}

function block(
  name: string,
  members: readonly string[][],
  write: (key: string, type: string) => string,
): string {
  const lines = members.map(([key = '', type = '']) => `      ${write(quoted(key), type)};\n`);
  return lines.length === 0 ? `    ${name}: {};\n` : `    ${name}: {\n${lines.join('')}    };\n`;
}

/** The ends of relationships at this workflow. A relationship with the same workflow has both ends here. */
function linksOf({
  id,
  relationships = [],
}: DescribedWorkflow): { end: string; other: string; isMany: boolean }[] {
  return relationships.flatMap(({ kind, from, to }) => [
    ...(from.workflow === id ? [{ end: from.name, other: to.workflow, isMany: kind.endsWith('many') }] : []),
    ...(to.workflow === id ? [{ end: to.name, other: from.workflow, isMany: kind.startsWith('many') }] : []),
  ]);
}

function askedOf(asked: readonly (string | Asked)[], fields: readonly Field[]): string {
  const members = asked.map((one) => {
    const { field: name, required = false } = typeof one === 'string' ? { field: one } : one;
    const type = sentAs(fields.find((field) => field.name === name) ?? { name, type: '' });
    return `readonly ${quoted(name)}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'}`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`;
}

function shownAs({ type, options = [] }: Field): string {
  if (type === 'checkbox') return 'boolean';
  if (type === 'file') return 'Attachment[]';
  if (type === 'uniqueId') return 'string';
  if (type === 'singleSelect') return `${openOf(options)} | null`;
  if (type === 'multipleSelect') return `${openOf(options)}[]`;
  return texts.has(type) || textsOrNumbers.has(type) ? 'string | null' : 'unknown';
}

function sentAs({ type, options = [] }: Field): string {
  if (type === 'checkbox') return 'boolean | null';
  if (type === 'file') return 'readonly SentFile[] | null';
  if (type === 'singleSelect') return `${openOf(options)} | null`;
  if (type === 'multipleSelect') return `readonly ${openOf(options)}[] | null`;
  if (textsOrNumbers.has(type)) return 'string | number | null';
  return texts.has(type) ? 'string | null' : 'unknown';
}

const textsOrNumbers = new Set(['number', 'currency', 'text', 'uniqueId']);
const texts = new Set(['longText', 'phone', 'date', 'datetime', 'person', 'email', 'url']);

const openOf = (options: readonly string[]): string =>
  options.length === 0 ? 'string' : `Open<${options.map(quoted).join(' | ')}>`;

const quoted = (name: string): string => JSON.stringify(name);

function nameOf(workspace: string): string {
  const name = workspace.replace(/(?:^|[^a-z0-9]+)([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
  return /^[a-z]/i.test(name) ? name : `W${name}`;
}

import { Document, isCollection, isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { fieldTypes } from '../src/workflows/fields/field-types.js';
import { fieldSettings } from '../src/workflows/model/field-definition.js';
import { wordsOf } from '../src/workflows/model/schema-parts.js';
import { writtenSchema } from '../src/workflows/definition/source/json-schema.js';

/** The reference of definition files as Markdown: docs/reference/definition.md. */
export function renderReference(): string {
  const { properties = {}, required, description = '' }: Described = writtenSchema();
  const parts = [
    '# Reference of definition files',
    `${description} How to work with such a file: [the guide](../guide/definitions.md).`,
    '`npm run definition-schema` generates this page from the schemas by which the service reads files.',
    table(Object.entries(properties), required),
    ...Object.entries(properties).flatMap(([key, schema]) => sectionsOf(key, schema, 2)),
  ];
  return `${parts.join('\n\n')}\n`;
}

interface Described {
  readonly $id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly items?: Described;
  readonly oneOf?: readonly Described[];
  readonly discriminator?: { readonly propertyName: string };
  readonly enum?: readonly unknown[];
  readonly const?: string | number | boolean;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly $comment?: string;
  readonly additionalProperties?: boolean | Described;
  readonly patternProperties?: Properties;
}

type Properties = Readonly<Record<string, Described>>;

function sectionsOf(key: string, schema: Described, level: number): string[] {
  const { properties, oneOf, title = '', required, description = '', examples = [] } = schema.items ?? schema;
  if (oneOf) return kinds(key, schema.items ?? schema, level);
  if (!properties) return [];
  const head = [`${heading(level, title)}: \`${key}\``, description];
  if (key === 'requirements') return [...head, ...requirements(properties, level + 1)];
  const [first] = examples;
  // The fields that an action asks for are listed under the same key.
  const isOfTypes = key === 'fields' && 'type' in properties;
  return [
    ...head,
    table(
      Object.entries(properties).filter(([name]) => !isOfTypes || !fieldSettings.has(name)),
      required,
    ),
    ...(first === undefined
      ? []
      : [code({ [key]: schema.items ? examples.slice(0, isOfTypes ? 1 : 3) : first })]),
    ...(isOfTypes ? typesOfFields(properties, level + 1) : []),
    ...Object.entries(properties).flatMap(([name, inner]) => sectionsOf(name, inner, level + 1)),
  ];
}

function typesOfFields(properties: Properties, level: number): string[] {
  return [...fieldTypes].flatMap(([name, { settings, example }]) => {
    const { title, description, examples } = wordsOf(settings);
    const own = Object.entries(properties).filter(([key]) => key in settings.properties);
    const [sent, shown] = [example.sent, example.shown].map((value) => `\`${JSON.stringify(value)}\``);
    return [
      `${heading(level, title)}: \`type: ${name}\``,
      description,
      ...(own.length > 0 ? [table(own, settings.required)] : []),
      code({ fields: [{ name: '', type: name, ...examples[0] }] }),
      `A payload may send ${sent ?? ''}; an answer then shows ${shown ?? ''}.`,
    ];
  });
}

function requirements(properties: Properties, level: number): string[] {
  return Object.keys(properties).flatMap((name) => {
    const { title = '', description = '', examples = [], ...schema } = properties[name] ?? {};
    const { properties: inner, required } = schema.items ?? schema;
    const value = valueOf(schema);
    return [
      `${heading(level, title)}: \`${name}\``,
      `${description} It is ${value}.`,
      ...(inner ? [table(Object.entries(inner), required)] : []),
      code({ requirements: { [name]: examples[0] } }),
      ...(schema.items ? [] : Object.entries(inner ?? {})).flatMap(([key, each]) =>
        sectionsOf(key, each, level + 1),
      ),
    ];
  });
}

/** The sections of a list whose elements have several kinds. The key `by` tells the kinds apart. */
function kinds(
  key: string,
  { title = '', description = '', oneOf = [], discriminator }: Described,
  level: number,
): string[] {
  const by = discriminator?.propertyName ?? 'type';
  const sections = oneOf.flatMap(
    ({ title = '', description = '', properties = {}, required, examples = [] }) => {
      const own = Object.entries(properties).filter(([name]) => name !== by);
      return [
        `${heading(level + 1, title)}: \`${by}: ${String(properties[by]?.const)}\``,
        description,
        table(own, required),
        code({ [key]: [examples[0]] }),
      ];
    },
  );
  const inner = new Map(oneOf.flatMap(({ properties = {} }) => Object.entries(properties)));
  return [
    `${heading(level, title)}: \`${key}\``,
    description,
    ...sections,
    ...Array.from(inner).flatMap(([name, schema]) => sectionsOf(name, schema, level + 1)),
  ];
}

function heading(level: number, title: string): string {
  return `${'#'.repeat(level)} ${title}`;
}

function table(entries: readonly (readonly [string, Described])[], required: readonly string[] = []): string {
  const rows = entries.map(([key, schema]) => [
    `\`${key}\``,
    schema.description ?? '',
    valueOf(schema),
    required.includes(key) ? '**required**' : defaultOf(schema),
  ]);
  return grid([['Key', 'What it is', 'Value', 'Default'], ...rows]);
}

function grid([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [head, head.map(() => '---'), ...rows].map(line).join('\n');
}

function defaultOf({ default: value }: Described): string {
  const text = JSON.stringify(value);
  return value === undefined || text === '[]' || text === '{}' ? '' : `\`${text.replaceAll('"', '')}\``;
}

function valueOf(schema: Described): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum) return `one of ${schema.enum.map((value) => `\`${String(value)}\``).join(', ')}`;
  return [schema.type ?? 'object']
    .flat()
    .map((type) => nouns.get(type)?.(schema) ?? '')
    .join(' or ');
}

const nouns = new Map<string, (schema: Described) => string>([
  [
    'string',
    ({ minLength, maxLength, pattern = '', $comment = '' }) => {
      const [, only] = /^\^(\w+)\$$/.exec(pattern) ?? [];
      if (only !== undefined) return `\`${only}\``;
      // `$comment` ends the message about an invalid value; here, its words become a description.
      const form = $comment.replace(/^is not /, '').replace(/^may /, 'which may ');
      return `a text${range(minLength, maxLength, ' characters')}${form === '' ? '' : `, ${form}`}`;
    },
  ],
  ['integer', ({ minimum, maximum }) => `a whole number${range(minimum, maximum)}`],
  [
    'number',
    ({ exclusiveMinimum, maximum }) =>
      exclusiveMinimum === undefined
        ? 'a number'
        : `a number above ${exclusiveMinimum}, up to ${maximum ?? ''}`,
  ],
  ['boolean', () => '`true` or `false`'],
  ['array', listed],
  ['null', () => '`null`'],
  ['object', mappingOf],
]);

function listed({ items = {}, minItems, maxItems }: Described): string {
  const isMapping = items.properties !== undefined || items.oneOf !== undefined;
  const of = isMapping ? 'mappings' : valueOf(items).replaceAll(/\ba (text|whole number|number)/g, '$1s');
  return `a list of ${of}${range(minItems, maxItems, ' of them')}`;
}

function mappingOf({ additionalProperties, patternProperties = {} }: Described): string {
  const [values = additionalProperties] = Object.values(patternProperties);
  return typeof values === 'object' ? `a mapping; each value: ${valueOf(values)}` : 'a mapping';
}

function range(least: number | undefined, most: number | undefined, noun = ''): string {
  if (most !== undefined) return `, ${least ?? 'up'} to ${most.toLocaleString('en-US')}${noun}`;
  return least === undefined ? '' : `, ${least} or more${noun}`;
}

/** YAML as people write it: in one line, or with a line for each key if that would be too long. */
function code(value: object): string {
  const document = new Document(value);
  const [first] = isMap(document.contents) ? document.contents.items : [];
  const things = isSeq(first?.value) ? first.value.items : [first?.value];
  for (const thing of things) if (isCollection(thing)) layOut(thing);
  return `\`\`\`yaml\n${document.toString({ lineWidth: 110, singleQuote: true })}\`\`\``;
}

function layOut(thing: YAMLMap | YAMLSeq): void {
  thing.flow = JSON.stringify(thing).length < 95;
  const inner = isMap(thing) ? thing.items.map(({ value }) => value) : [];
  for (const part of inner) if (isCollection(part)) part.flow = true;
}

import { type OpenAPIObject } from '@nestjs/swagger';
import { type Pause } from '../../packages/fair/turn.js';
import { executionStatuses, itemStatuses } from '../entities/column-values.js';
import { type Answer, mapped, ref, type Schema, type Schemas } from './vocabulary.js';

/**
 * The document with answers that may grow (docs/decisions/answers-may-grow.md): their objects may get other keys, and
 * their enumerated texts may get other values. Requests stay as they are: each of their keys and texts must be known.
 */
export async function openAnswers(document: OpenAPIObject, pause: Pause): Promise<OpenAPIObject> {
  const { components = {} } = document;
  const schemas = (components.schemas ?? {}) as Schemas;
  const sent = sentSchemas(document, schemas);
  const shown: Record<string, Schema> = {};
  const openRef = (name: string): Schema => {
    const schema = schemas[name];
    if (!schema || !sent.has(name) || !mayGrow(schema)) return ref(name);
    shown[`Shown${name}`] = opened(schema, openRef);
    return ref(`Shown${name}`);
  };
  const openAnswer = (answer: Part): Part => openedContent(answer, openRef);
  const kept: Record<string, Schema> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    await pause();
    kept[name] = sent.has(name) ? schema : opened(schema, openRef);
  }
  const paths: Record<string, object> = {};
  for (const [path, item] of Object.entries(document.paths as Paths)) {
    await pause();
    paths[path] = mapped(item, (operation) => ({
      ...operation,
      responses: mapped(operation.responses, openAnswer),
    }));
  }
  const responses = components.responses && mapped(components.responses, openAnswer);
  return {
    ...document,
    paths,
    components: { ...components, schemas: { ...kept, ...shown }, ...(responses && { responses }) },
  };
}

/** A member of a union for later kinds. */
export const laterKind = {
  type: 'object',
  description: 'A kind that may be added later.',
  additionalProperties: true,
} satisfies Schema;

/** Enumerations that stay complete in this version of the API. */
const promised = new Set([executionStatuses, itemStatuses, ['Fail']].map(String));

type Part = Answer | { readonly $ref: string };

interface OperationPart {
  readonly requestBody?: unknown;
  readonly parameters?: unknown;
  readonly responses: Readonly<Record<string, Part>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, OperationPart>>>>;

const mayGrow = ({ enum: values = [] }: Inner): boolean => values.length > 0 && !promised.has(String(values));

/** The names of the schemas that bodies and parameters of requests refer to. */
function sentSchemas({ paths }: OpenAPIObject, schemas: Schemas): ReadonlySet<string> {
  const operations = Object.values(paths as Paths).flatMap((item) => Object.values(item));
  const parts: unknown[] = operations.map(({ requestBody, parameters }) => [requestBody, parameters]);
  const sent = new Set<string>();
  // The list grows while it is read, so that schemas found here are searched, too.
  for (const part of parts)
    for (const [, name = ''] of JSON.stringify([part]).matchAll(/"#\/components\/schemas\/([\w.-]+)"/g)) {
      if (sent.has(name)) continue;
      sent.add(name);
      parts.push(schemas[name]);
    }
  return sent;
}

function openedContent(answer: Part, openRef: OpenRef): Part {
  if ('$ref' in answer || !answer.content) return answer;
  const open = ({ schema, ...media }: { readonly schema?: Schema }) => ({
    ...media,
    ...(schema && { schema: opened(schema, openRef) }),
  });
  return { ...answer, content: mapped(answer.content, open) };
}

/** The reference for a schema of this name in answers. */
type OpenRef = (name: string) => Schema;

/** The keywords of a schema that may have to be opened. */
interface Inner {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Schemas;
  readonly patternProperties?: Schemas;
  readonly additionalProperties?: boolean | Schema;
}

/** A schema of an answer; `kind` is the property that identifies a member of a union. */
function opened(schema: Schema, openRef: OpenRef, kind?: string): Schema {
  const { $ref, additionalProperties: others, oneOf, anyOf, allOf, const: one, ...inner }: Inner = schema;
  if ($ref !== undefined) return { ...schema, ...openRef($ref.split('/').at(-1) ?? '') };
  const open = (part: Schema): Schema => opened(part, openRef);
  const openProperties = (properties: Schemas): Schemas =>
    Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [name, name === kind ? part : open(part)]),
    );
  return {
    ...inner,
    ...openedValues(inner, one),
    ...(inner.items && { items: open(inner.items) }),
    ...(allOf && { allOf: allOf.map(open) }),
    ...(anyOf && { anyOf: openedUnion(anyOf, openRef) }),
    // A later kind may match several members, so `oneOf` would be wrong.
    ...(oneOf && { anyOf: openedUnion(oneOf, openRef) }),
    ...(inner.properties && { properties: openProperties(inner.properties) }),
    ...(inner.patternProperties && { patternProperties: openProperties(inner.patternProperties) }),
    ...(others !== undefined &&
      others !== false && { additionalProperties: others === true || open(others) }),
  } as Schema;
}

function openedUnion(members: readonly Schema[], openRef: OpenRef): Schema[] {
  const [kind] =
    Object.entries((members[0] as Inner).properties ?? {}).find(([, part]) => 'const' in part) ?? [];
  const known = members.map((member) => opened(member, openRef, kind));
  // A workflow's document is made from the general one, which is open already.
  const isOpen = members.some(({ description }: Inner) => description === laterKind.description);
  return kind === undefined || isOpen ? known : [...known, laterKind];
}

/** Lists today's texts as a hint: a generated client that took them as complete would refuse a new one. */
function openedValues(schema: Inner, one: unknown): object {
  const values = one === undefined ? schema.enum : [one];
  if (!values || (one === undefined && !mayGrow(schema))) return {};
  const description = `${schema.description ?? ''} Others may be added.`.trim();
  const type = schema.type ?? (values.includes(null) ? ['string', 'null'] : 'string');
  return { type, description, enum: undefined, 'x-extensible-enum': values };
}

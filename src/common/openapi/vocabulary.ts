import { type OpenAPIObject } from '@nestjs/swagger';

export type Components = NonNullable<OpenAPIObject['components']>;

export function mapped<From, To>(
  parts: Readonly<Record<string, From>>,
  change: (part: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part, name)]));
}

/** A JSON Schema (2020-12), as OpenAPI 3.1 uses it. */
export type Schema = NonNullable<Components['schemas']>[string] & {
  readonly const?: unknown;
  readonly contentMediaType?: string;
  readonly contentSchema?: Schema | undefined;
  readonly 'x-extensible-enum'?: readonly unknown[];
};

export type Schemas = Readonly<Record<string, Schema>>;

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** The components, such as `schemas/Task`, that these parts refer to directly or through other components. */
export function componentsUsedBy(components: Components, parts: readonly unknown[]): ReadonlySet<string> {
  const used = new Set<string>();
  const read = [...parts];
  // The list grows while the loop reads it, so that components found here are searched, too.
  for (const part of read)
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(reference)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      read.push(Reflect.get(Object(Reflect.get(components, kind)), name));
    }
  return used;
}

const reference = /"\$ref":"#\/components\/(\w+)\/([\w.-]+)"/g;

export const textSchema = (description: string): Schema => ({ type: 'string', description });

export const maybeText = (description: string): Schema => ({ type: ['string', 'null'], description });

export const maybeInstant = (description: string): Schema => ({
  type: ['string', 'null'],
  format: 'date-time',
  description,
});

export const listOf = (items: Schema): Schema => ({ type: 'array', items });

/** A schema of one of these values, or of any text if `values` is empty. */
export function oneOf(values: readonly string[], description: string): Schema {
  return { type: 'string', description, ...(values.length > 0 && { enum: [...values] }) };
}

/** A schema of objects with these properties and perhaps others. By default, requires all of these. */
export function holding(properties: Schemas, required: readonly string[] = Object.keys(properties)): Schema {
  return {
    type: 'object',
    properties: { ...properties },
    ...(required.length > 0 && { required: [...required] }),
  };
}

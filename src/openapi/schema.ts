import { type OpenAPIObject } from '@nestjs/swagger';

type Components = NonNullable<OpenAPIObject['components']>;

/** A JSON Schema (2020-12), as OpenAPI 3.1 uses it. */
export type Schema = NonNullable<Components['schemas']>[string] & { readonly const?: unknown };

/** Schemas by the names under which others refer to them. */
export type Schemas = Readonly<Record<string, Schema>>;

/** The schema of this name. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const text = (description: string): Schema => ({ type: 'string', description });

export const maybeText = (description: string): Schema => ({ type: ['string', 'null'], description });

export const flag = (description: string): Schema => ({ type: 'boolean', description });

export const instant = (description: string): Schema => ({
  type: 'string',
  format: 'date-time',
  description,
});

export const maybeInstant = (description: string): Schema => ({
  type: ['string', 'null'],
  format: 'date-time',
  description,
});

export const listOf = (items: Schema): Schema => ({ type: 'array', items });

/** One of these; any text where there are none. */
export function oneOf(values: readonly string[], description: string): Schema {
  return { type: 'string', description, ...(values.length > 0 && { enum: [...values] }) };
}

/** An object with these properties and no others, of which some may be absent. */
export function closed(properties: Schemas, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties: { ...properties }, required, additionalProperties: false };
}

/** The same where every property may be absent. */
export function loose(properties: Schemas): Schema {
  return { type: 'object', properties: { ...properties }, additionalProperties: false };
}

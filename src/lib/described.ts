import { type OpenAPIObject } from '@nestjs/swagger';

type Components = NonNullable<OpenAPIObject['components']>;

/** A JSON Schema (2020-12), as OpenAPI 3.1 uses it. */
export type Schema = NonNullable<Components['schemas']>[string] & { readonly const?: unknown };

/** A class whose properties are `Described`. */
export type Dto = abstract new (...given: never) => object;

interface Properties {
  readonly schemas: Record<string, Schema>;
  readonly optional: string[];
}

const known = new WeakMap<object, Properties>();

/** Says what a property of a DTO is, as OpenAPI shows it. Free of @nestjs/swagger, which a start does not wait for. */
export function Described(schema: Schema, { optional = false } = {}): PropertyDecorator {
  return (prototype, name) => {
    const properties = known.get(prototype) ?? { schemas: {}, optional: [] };
    known.set(prototype, properties);
    properties.schemas[String(name)] = schema;
    if (optional) properties.optional.push(String(name));
  };
}

/** The names of a DTO's described properties. */
export const namesOf = (dto: Dto): string[] => Object.keys(propertiesOf(dto).schemas);

/** The described properties of a DTO, and which of them may be absent. */
export function propertiesOf(dto: Dto): Properties {
  const prototype: unknown = dto.prototype;
  const properties = typeof prototype === 'object' && prototype ? known.get(prototype) : undefined;
  if (!properties) throw new Error(`nobody describes ${dto.name}`);
  return properties;
}

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

/** What a query parameter is for, and what its value may be. */
interface QueryParameter {
  readonly description: string;
  readonly schema: Schema;
}

const parameters = new WeakMap<object, Readonly<Record<string, QueryParameter>>>();

/** Says of a property of a DTO that it is a query parameter: what for, and what its value may be but any text. */
export function QueryParameter(description: string, schema: Schema = { type: 'string' }): PropertyDecorator {
  return (prototype, name) => {
    parameters.set(prototype, { ...parameters.get(prototype), [String(name)]: { description, schema } });
  };
}

/** The query parameters of a DTO by their names, its own before those of the class that it extends. */
export function queryParametersOf(dto: Dto): Readonly<Record<string, QueryParameter>> {
  const found: Record<string, QueryParameter> = {};
  let prototype: unknown = dto.prototype;
  while (typeof prototype === 'object' && prototype) {
    Object.assign(found, parameters.get(prototype));
    prototype = Reflect.getPrototypeOf(prototype);
  }
  return found;
}

/** The names of a DTO's described properties. */
export const propertyNamesOf = (dto: Dto): string[] => Object.keys(propertiesOf(dto).schemas);

/** The described properties of a DTO, and which of them may be absent. */
export function propertiesOf(dto: Dto): Properties {
  const prototype: unknown = dto.prototype;
  const properties = typeof prototype === 'object' && prototype ? known.get(prototype) : undefined;
  if (!properties) throw new Error(`nobody describes ${dto.name}`);
  return properties;
}

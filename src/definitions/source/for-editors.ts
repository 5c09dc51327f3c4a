/** A JSON Schema, as far as it matters here. */
interface Schema {
  readonly const?: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: unknown;
}

/**
 * A schema whose `oneOf` that a `type` tells apart are conditions (`if`, `then`) instead: an editor offers all types, and
 * then what this one takes; and a fault is told of the branch that was meant, not of every other as well.
 */
export function forEditors(schema: object): object {
  const entries = Object.entries(schema).map(([key, value]: [string, unknown]) => [key, converted(value)]);
  const { oneOf, discriminator, ...rest }: Schema = Object.fromEntries(entries) as Schema;
  if (oneOf && discriminator) return { ...rest, ...conditions(oneOf) };
  return { ...rest, ...(oneOf && { oneOf }) };
}

function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted);
  return typeof value === 'object' && value !== null ? forEditors(value) : value;
}

/** What all branches take, with the choice of types; then, for each type, what is its own. */
function conditions(branches: readonly Schema[]): object {
  const [first] = branches;
  const isCommon = (key: string): boolean =>
    branches.every(({ properties = {} }) => Object.hasOwn(properties, key));
  const common = Object.entries(first?.properties ?? {}).filter(([key]) => isCommon(key));
  return {
    required: first?.required?.filter(isCommon),
    properties: { ...Object.fromEntries(common), type: choiceOf(branches) },
    allOf: branches.map(({ required = [], properties, ...branch }) => ({
      if: { required: ['type'], properties: { type: { const: properties?.['type']?.const } } },
      then: {
        ...branch,
        required: required.filter((key) => !isCommon(key)),
        properties: { ...properties, ...Object.fromEntries(common.map(([key]) => [key, true])) },
      },
    })),
  };
}

function choiceOf(branches: readonly Schema[]): object {
  const types = branches.map(({ title = '', description = '', properties }) => {
    const { const: name, title: heading } = properties?.['type'] ?? {};
    return { name, heading, title, description };
  });
  return {
    title: types[0]?.heading,
    description: types.map(({ name, title }) => `${String(name)}: ${title}.`).join(' '),
    enum: types.map(({ name }) => name),
    enumDescriptions: types.map(({ title, description }) => `${title}. ${description}`),
  };
}

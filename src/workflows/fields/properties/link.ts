import { Invalid } from '../invalid.js';
import {
  type Json,
  type JsonObject,
  NumberLiteral,
  isJsonList,
  JsonText,
} from '../../../../packages/exact-json/json.js';
import { type Link, type TaskSchema } from '../task-schema.js';
import { type LinkedKey, type ListedProperty, type Property } from '../property.js';
import { serializeTask } from '../serialize-task.js';
import { uniqueId } from '../types/unique-id.js';
import { isBlankText } from '../../../common/text.js';
import { say } from '../../../common/message.js';

export interface LinkSource {
  readonly link: Link;
  readonly other: () => TaskSchema;
}

/** The key of a relationship: the task or tasks at its other end, referenced by their Unique ID. */
export function linkProperty({ link, other }: LinkSource): Property {
  const { name, side, isMultiple } = link;
  const links: LinkedKey = {
    side,
    isMultiple,
    uniqueId: () => other().uniqueId?.name,
    write: (task) => serializeTask(other().own, task),
    names: () => other().own.properties.map((property) => property.name),
    property: (key) => ownProperty(other(), key),
  };
  return {
    name,
    ...shownLinks(links),
    read(input, change) {
      const references = (isMultiple ? parseMany : parseOne)(other(), input);
      if (references instanceof Invalid) return references;
      change.links.set(side, references);
      return undefined;
    },
  };
}

/** How the key of a relationship shows the tasks at its other end. */
export function shownLinks(links: LinkedKey): Pick<Property, 'serialize'> & { readonly links: LinkedKey } {
  const { side, isMultiple, write } = links;
  return {
    links,
    serialize({ linked }) {
      const texts = (linked ?? []).filter((task) => task.side === side).map(write);
      return new JsonText(isMultiple ? `[${texts.join(',')}]` : (texts[0] ?? 'null'));
    },
  };
}

/**
 * The key with this name in a linked task. Undefined if there is no such key, or if the key is a relationship
 * of the linked task.
 */
function ownProperty({ byName }: TaskSchema, name: string): ListedProperty | undefined {
  const property = byName.get(name);
  return property?.links ? undefined : property;
}

function parseOne(other: TaskSchema, input: Json): readonly string[] | Invalid {
  if (input === null) return [];
  if (!(input instanceof Map))
    return new Invalid(say`is not an object that names a task: ${exampleOf(other)}`);
  const reference = parseReference(other, input);
  return reference instanceof Invalid ? reference : [reference];
}

/**
 * The maximum number of tasks that an array can name. The maximum number of new links is lower, but an array
 * lists all links of a task.
 */
const MAX_REFERENCES = 100_000;

function parseMany(other: TaskSchema, input: Json): readonly string[] | Invalid {
  if (!isJsonList(input)) return notAnArray(other);
  if (input.length > MAX_REFERENCES) return new Invalid('names more than 100,000 tasks');
  const references = new Set<string>();
  for (const item of input) {
    const reference = item instanceof Map ? parseReference(other, item) : notAnArray(other);
    if (reference instanceof Invalid) return reference;
    references.add(reference);
  }
  return [...references];
}

const notAnArray = (other: TaskSchema): Invalid =>
  new Invalid(say`is not an array of objects that name tasks: [${exampleOf(other)}]`);

const exampleOf = ({ uniqueId }: TaskSchema): string => `{"${uniqueId?.name ?? ''}": …}`;

/** Parses the Unique ID of a reference, and ignores the other properties of the reference. */
function parseReference({ uniqueId: field, users }: TaskSchema, reference: JsonObject): string | Invalid {
  const key = field?.name ?? '';
  const input = reference.get(key) ?? null;
  if (input === null || isBlankText(input)) return new Invalid(say`must name each task by its ${key}`);
  const value = uniqueId.parse(input, { users });
  if (typeof value === 'string') return value;
  if (input instanceof NumberLiteral) return doesNotExist(input.text);
  // The value cannot be a Unique ID, so it names no task.
  return typeof input === 'object'
    ? new Invalid(say`names a task by a value that is not a ${key}`)
    : doesNotExist(String(input));
}

export function doesNotExist(value: string): Invalid {
  const shown = Array.from(value.slice(0, 520)).slice(0, 255).join('');
  return new Invalid(say`does not exist: ${shown}`);
}

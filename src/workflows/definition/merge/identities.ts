import { type Kind } from '../../model/kind.js';

/** The values that together identify an element in its list. The last one is the element's own name. */
export const partsOfKey = ({ key }: Kind, element: object): string[] =>
  key.map((each) => textAt(element, each));

/** The name by which people know an element: the last part of its key. */
export const nameOfElement = ({ key }: Kind, element: object): string => textAt(element, nameKeyOf({ key }));

export const nameKeyOf = ({ key }: Pick<Kind, 'key'>): string => key.at(-1) ?? '';

/** The identity of an element, with e-mails in lower case. */
export const identityOf = (kind: Kind, element: object): string =>
  identityFrom(kind, partsOfKey(kind, element));

export function identityFrom({ key }: Kind, parts: readonly string[]): string {
  const folded = parts.map((part, at) => (key[at] === 'email' ? part.toLowerCase() : part));
  return folded.length === 1 ? (folded[0] ?? '') : JSON.stringify(folded);
}

export const formerOf = (element: object): string | undefined => {
  const former: unknown = Reflect.get(element, 'was');
  return typeof former === 'string' ? former : undefined;
};

function textAt(element: object, key: string): string {
  const text: unknown = Reflect.get(element, key);
  return typeof text === 'string' ? text : '';
}

/**
 * Whether two plain values are equal. The order of keys does not matter. An absent key equals `undefined`.
 */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = keysOf(one);
  return (
    keys.length === keysOf(other).length &&
    keys.every(
      (key) => Object.hasOwn(other, key) && isSameValue(Reflect.get(one, key), Reflect.get(other, key)),
    )
  );
}

const keysOf = (value: object): string[] =>
  Object.keys(value).filter((key) => Reflect.get(value, key) !== undefined);

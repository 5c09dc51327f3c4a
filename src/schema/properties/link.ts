import { Invalid } from '../invalid.js';
import { type Property } from '../property.js';

/** The key of a relationship: blank until tasks can be linked. */
export function linkProperty(name: string, isMultiple: boolean): Property {
  return {
    name,
    read(input) {
      if (isMultiple) return Array.isArray(input) && input.length === 0 ? undefined : cannotLink;
      return input === null ? undefined : cannotLink;
    },
    serialize: () => (isMultiple ? [] : null),
  };
}

const cannotLink = new Invalid('cannot hold links yet');

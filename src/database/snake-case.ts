import { DefaultNamingStrategy } from 'typeorm';

/** Names columns in snake case, as hand-written SQL does. */
export class SnakeCase extends DefaultNamingStrategy {
  override columnName(property: string, given: string | undefined, prefixes: string[]): string {
    return [...prefixes, given ?? property]
      .join('_')
      .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}

import Type, { type TSchema } from 'typebox';
import { type Report } from '../../model/check/kit.js';
import { definitionSchema } from './definition-schema.js';

/** Reports the lists that several files together make longer than their schemas allow. */
export function reportLongLists(holder: object, report: Report, schema: TSchema = definitionSchema): void {
  const properties = Type.IsObject(schema) ? schema.properties : {};
  for (const [key, list] of Object.entries<unknown>({ ...holder })) {
    const listed = properties[key];
    if (!Array.isArray(list) || !listed || !Type.IsArray(listed)) continue;
    const maxItems = Number(new Map<string, unknown>(Object.entries(listed)).get('maxItems') ?? Infinity);
    if (list.length > maxItems) report(holder, key, `has more than ${maxItems} entries`);
    for (const item of list as readonly unknown[])
      if (typeof item === 'object' && item !== null) reportLongLists(item, report, listed.items);
  }
}

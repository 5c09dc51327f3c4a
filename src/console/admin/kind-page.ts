import { wordsOf } from '../../workflows/model/schema-parts.js';
import { type Identified, type ShownKind } from '../../workflows/model/shown-kind.js';
import { ofKind, starterPage } from './starter-page.js';

/** The page of a kind that has no page of its own: it says what the API shows of each element. */
export function kindPage(kind: ShownKind) {
  const { title, description } = wordsOf(kind.schema);
  return starterPage<Identified>({
    kind,
    ...ofKind(kind),
    hasRuns: kind.runs !== undefined,
    title,
    icon: 'clock',
    lead: description,
    empty: [`No ${kind.list}`, `Add them in the definition, under ${kind.list}: of a workflow.`],
    under: () => kind.name,
    facts: (one) =>
      Object.entries(one)
        .filter(([name]) => !['id', 'state'].includes(name))
        .map(([name, value]) => [name.replaceAll('_', ' '), textOf(value)]),
  });
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

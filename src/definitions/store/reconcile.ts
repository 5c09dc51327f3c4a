import { type UserDefinition } from '../../workspace/definition.js';
import { emailOf, idOf, nameOfElement } from '../merge/identities.js';

/** How the rows of a table are matched with a list of a definition. */
export interface Reconciliation<Row, Element> {
  readonly existing: readonly Row[];
  readonly elements: readonly Element[];
  nameOfRow(row: NoInfer<Row>): string;
  nameOf(element: NoInfer<Element>): string;
  /** The stored name of an element that is renamed. */
  formerNameOf?(element: NoInfer<Element>): string | undefined;
  /** The row for an element, based on the known row if there is one. */
  rowOf(element: Element, position: number, known: Row | undefined): Partial<NoInfer<Row>>;
}

/** Elements with ids. */
export const byId = { nameOfRow: idOf, nameOf: idOf };

/** Elements with names, which may be renamed. */
export const byName = {
  nameOfRow: nameOfElement,
  nameOf: nameOfElement,
  formerNameOf: ({ was }: { readonly was?: string }): string | undefined => was,
};

/** Users, whose e-mails may change. */
export const byEmail = {
  nameOfRow: ({ email }: { readonly email: string }): string => email.toLowerCase(),
  nameOf: emailOf,
  formerNameOf: ({ was }: UserDefinition): string | undefined => was?.toLowerCase(),
};

/** A row, and whether the table already has it unchanged. */
export interface Reconciled<Row> {
  readonly row: Partial<Row>;
  readonly isKnown: boolean;
}

/** The rows for the elements, in their order; a known row keeps its key. */
export function reconcile<Row extends object, Element>(
  plan: Reconciliation<Row, Element>,
): Reconciled<Row>[] {
  const find = finder(plan);
  return plan.elements.map((element, position) => {
    const known = find(element);
    const row = plan.rowOf(element, position, known);
    return { row, isKnown: known !== undefined && isSame(row, known) };
  });
}

function isSame<Row extends object>(row: Partial<Row>, known: Row): boolean {
  const stored = new Map<string, unknown>(Object.entries(known));
  return Object.entries(row).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(stored.get(name)),
  );
}

/** Finds the known row of an element. A renamed element keeps its row, even if another takes its former name. */
export function finder<Row, Element>({
  existing,
  elements,
  nameOfRow,
  nameOf,
  formerNameOf = () => undefined,
}: Omit<Reconciliation<Row, Element>, 'rowOf'>): (element: Element) => Row | undefined {
  const known = new Map(existing.map((row) => [nameOfRow(row), row]));
  const renamed = new Set(elements.map(formerNameOf));
  return (element) => {
    const former = formerNameOf(element);
    if (former !== undefined && known.has(former)) return known.get(former);
    return renamed.has(nameOf(element)) ? undefined : known.get(nameOf(element));
  };
}

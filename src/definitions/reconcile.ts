/** How the rows of one table follow a list of a definition. */
export interface Reconciliation<Row, Element> {
  readonly existing: readonly Row[];
  readonly elements: readonly Element[];
  /** What a row is known by. */
  nameOf(row: Row): string;
  /** What an element is known by: what it was called, where that is another name, else what it is called. */
  namesOf(element: Element): readonly (string | undefined)[];
  /** The row of an element, built on the one that is known already. */
  rowOf(element: Element, position: number, known: Row | undefined): Partial<Row>;
}

/** The rows that a table should hold, in the order of the elements; a known row keeps its key. */
export function reconcile<Row, Element>(plan: Reconciliation<Row, Element>): Partial<Row>[] {
  const known = new Map(plan.existing.map((row) => [plan.nameOf(row), row]));
  return plan.elements.map((element, position) => {
    const name = plan.namesOf(element).find((name) => name !== undefined && known.has(name));
    const row = name === undefined ? undefined : known.get(name);
    return plan.rowOf(element, position, row);
  });
}

import { type DeepPartial, type EntityManager, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { type Reconciled } from './reconcile.js';

/** Writes the rows that the table does not have yet and returns all, with the keys that the database gave. */
export async function saveRows<Row extends ObjectLiteral>(
  db: EntityManager,
  table: EntityTarget<Row>,
  rows: readonly Reconciled<Row>[],
): Promise<Partial<Row>[]> {
  const wanted = rows.filter(({ isKnown }) => !isKnown).map(({ row }) => row as DeepPartial<Row>);
  // A row that is saved is given its key in place.
  await db.save(table, wanted);
  return rows.map(({ row }) => row);
}

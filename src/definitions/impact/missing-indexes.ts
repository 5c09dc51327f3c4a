import { type EntityManager } from 'typeorm';
import { fieldTypes } from '../../schema/field-types.js';
import { type SortCost, sortCostsOf } from '../../task-store/sort-costs.repository.js';
import { placeOfValue } from '../../workspace/definition-reader.js';
import { type Draft } from '../draft.js';
import { type Fault, faultAt } from '../source/faults.js';
import { type ChangedField, findChangedFields } from './changed-fields.js';

/** Hints at each field without an index that lists were often and slowly sorted by within a week. */
export async function hintAtIndexes(db: EntityManager, { rows, merged }: Draft): Promise<Fault[]> {
  const costs = await sortCostsOf(db, rows.workspace.id);
  return findChangedFields(rows, merged).flatMap(({ workflow, fields }) =>
    fields.filter(mayHaveIndex).flatMap(({ field, wanted }) => {
      const cost = costs.find(
        ({ workflowId, fieldId }) => workflowId === workflow.id && fieldId === field.id,
      );
      if (!cost || !isMuch(cost)) return [];
      const message = hint(cost);
      const path = `stored: workflows.${workflow.slug}.fields.${wanted.name}`;
      return placeOfValue(wanted) ? faultAt(wanted, 'name', message) : { path, message };
    }),
  );
}

function mayHaveIndex({ wanted: { type, index } }: ChangedField): boolean {
  return index !== true && fieldTypes.get(type)?.indexedAs !== undefined;
}

const isMuch = ({ lists, seconds }: SortCost): boolean => lists >= 50 && seconds / lists >= 0.1;

function hint({ lists, seconds }: SortCost): string {
  const each = (seconds / lists).toFixed(1);
  return `sorted ${lists} lists within a week, which took ${each} s each: with \`index: true\` they would take milliseconds`;
}

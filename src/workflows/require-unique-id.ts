import { invalidField } from '../errors/field-errors.js';
import { type Workflow } from './workspace.js';

/** Throws when the tasks of the workflow have no Unique ID that a path could name. */
export function requireUniqueId({ schema }: Pick<Workflow, 'schema'>): void {
  if (!schema.uniqueId) throw invalidField('base', 'This workflow has no Unique ID field');
}

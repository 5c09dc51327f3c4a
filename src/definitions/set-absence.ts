import { type DataSource } from 'typeorm';
import { type Absence } from '../schema/field-type.js';
import { applyDefinition } from './apply-definition.js';
import { readDefinition } from './source/read-definition.js';

/** Sets or clears a user's absence and deputy; throws `DefinitionFaults` if the result is invalid. */
export async function setAbsence(
  dataSource: DataSource,
  workspace: string,
  user: { readonly email: string; readonly firstName: string | null; readonly lastName: string | null },
  away: Absence | null,
): Promise<void> {
  const { email, firstName: first_name, lastName: last_name } = user;
  const document = { workspace: { id: workspace }, users: [{ email, first_name, last_name, away }] };
  const source = readDefinition(JSON.stringify(document), 'account page');
  await applyDefinition(dataSource, source, { author: email });
}

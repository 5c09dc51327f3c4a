import { UserEntity } from './entities/user.entity.js';
import { FieldEntity } from './entities/field.entity.js';
import { type WorkflowEntity } from './entities/workflow.entity.js';
import { type FieldDefinition } from './field-definition.js';
import { type ChangedDefinition } from './changed-definition.js';
import { type Users } from '../fields/field-type.js';
import { fieldTypes } from '../fields/field-types.js';
import { UserDirectory } from '../fields/users.js';

/** A field that is kept: its stored row and its new definition. */
export interface ChangedField {
  readonly field: FieldEntity;
  readonly wanted: FieldDefinition;
}

export interface ChangedFields {
  readonly workflow: WorkflowEntity;
  readonly fields: readonly ChangedField[];
}

export function findChangedFields({ rows, merged, matches }: ChangedDefinition): ChangedFields[] {
  return rows.workflows.map((workflow) => {
    const elements = merged.workflows.find(({ id }) => id === workflow.slug)?.fields ?? [];
    const fields = elements.flatMap((wanted) => {
      const field = matches.rowOf(FieldEntity, wanted);
      return field ? [{ field, wanted }] : [];
    });
    return { workflow, fields };
  });
}

export function isRetyped({ field, wanted }: ChangedField): boolean {
  return field.type !== wanted.type;
}

/** Whether a new definition of the field, with the same type, may reject values that the field accepts today. */
export function isNarrowed({ field: { type, settings }, wanted }: ChangedField): boolean {
  return type === wanted.type && fieldTypes.get(type)?.narrows?.(settings, wanted) === true;
}

/** The users after the change. New users have no id yet, so each gets a unique placeholder. */
export function usersAfter({ merged, matches }: ChangedDefinition): Users {
  return new UserDirectory(
    merged.users.map((user) => ({ ...user, id: matches.rowOf(UserEntity, user)?.id ?? `new ${user.email}` })),
  );
}

import { type FieldEntity } from '../../entities/field.entity.js';
import { type WorkflowEntity } from '../../entities/workflow.entity.js';
import { type WorkspaceDefinition } from '../../workspace/definition.js';
import { type FieldDefinition } from '../../workspace/field-definition.js';
import { findByName, userIds } from '../store/removals.js';
import { type WorkspaceRows } from '../../workspace/workspace-rows.js';
import { type Users } from '../../schema/field-type.js';
import { fieldTypes } from '../../schema/field-types.js';
import { UserDirectory } from '../../schema/users.js';
import { emailOf } from '../merge/identities.js';

/** A field that stays, as it is stored and as it is wanted. */
export interface ChangedField {
  readonly field: FieldEntity;
  readonly wanted: FieldDefinition;
}

/** The fields of a workflow that stays. */
export interface ChangedFields {
  readonly workflow: WorkflowEntity;
  readonly fields: readonly ChangedField[];
}

/** Every field that stays, workflow by workflow. */
export function findChangedFields(rows: WorkspaceRows, merged: WorkspaceDefinition): ChangedFields[] {
  return rows.workflows.map((workflow) => {
    const elements = merged.workflows.find(({ id }) => id === workflow.slug)?.fields ?? [];
    const find = findByName(
      rows.fields.filter(({ workflowId }) => workflowId === workflow.id),
      elements,
    );
    const fields = elements.flatMap((wanted) => {
      const field = find(wanted);
      return field ? [{ field, wanted }] : [];
    });
    return { workflow, fields };
  });
}

export function isRetyped({ field, wanted }: ChangedField): boolean {
  return field.type !== wanted.type;
}

/** Whether values that the field takes today may be refused from now on; its type stays. */
export function isNarrowed({ field: { type, settings }, wanted }: ChangedField): boolean {
  return type === wanted.type && fieldTypes.get(type)?.narrows?.(settings, wanted) === true;
}

/** The users as they will be; new ones, who have no id yet, get a stand-in that no other has. */
export function usersAfter(rows: WorkspaceRows, merged: WorkspaceDefinition): Users {
  const ids = userIds(rows, merged);
  return new UserDirectory(
    merged.users.map((user) => ({ ...user, id: ids.get(emailOf(user)) ?? `new ${user.email}` })),
  );
}

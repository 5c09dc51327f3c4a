import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Leftovers } from '../../common/database/leftovers.js';
import { type FormField } from './form-fields.js';
import { InWorkspace } from '../../common/database/in-workspace.js';

/** A mailed form that changes one task. Its address contains a token; only the token's SHA-256 is stored. */
@Entity('asks')
export class AskEntity extends InWorkspace {
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('integer')
  workflowId!: number;

  @Column('bigint')
  taskId!: string;

  @Column('text')
  title!: string;

  @Column('text')
  actionId!: string;

  @Column('text')
  recipient!: string;

  /** The fields of the form, with their names at the time when the form was mailed. */
  @Column('jsonb')
  fields!: readonly AskedFormField[];

  @Column('timestamptz')
  expiresAt!: Date;
}

/** A field with its id, so that a renamed field is still found. */
export interface AskedFormField extends FormField {
  readonly id: string;
}

export const oldAsks: Leftovers = {
  table: 'asks',
  key: 'hash',
  isOver: 'expires_at < service_now()',
  most: 500,
};

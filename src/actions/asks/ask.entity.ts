import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type FormField } from './form-fields.js';

/** A form for one task, sent to somebody by mail. Only the SHA-256 of the token in its address is stored. */
@Entity('asks')
export class AskEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

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

  /** The address that got the link. */
  @Column('text')
  recipient!: string;

  /** The fields, with their names when the form was sent. */
  @Column('jsonb')
  fields!: readonly AskedFormField[];

  @Column('timestamptz')
  expiresAt!: Date;
}

/** A field with its id, by which it is found even after it was renamed. */
export interface AskedFormField extends FormField {
  readonly id: string;
}

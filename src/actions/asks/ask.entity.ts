import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type FormField } from './form-fields.js';

/** A form for one task that somebody got by mail. The end of its address is not stored, only its SHA-256. */
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

  /** As they were called when it was sent. */
  @Column('jsonb')
  fields!: readonly AskedFormField[];

  @Column('timestamptz')
  expiresAt!: Date;
}

/** A field that is found by its id, whatever it is called by now. */
export interface AskedFormField extends FormField {
  readonly id: string;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ListedInWorkspace } from '../workflows/model/entities/listed.js';

@Entity('channels')
export class ChannelEntity extends ListedInWorkspace {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  type!: string;

  /** May contain placeholders such as {{secret.NAME}}. */
  @Column('text')
  url!: string;
}

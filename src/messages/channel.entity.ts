import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ListedInWorkspace } from '../workflows/model/entities/listed.js';

@Entity('channels')
export class ChannelEntity extends ListedInWorkspace {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  type!: string;

  /** May contain names of secrets. */
  @Column('text')
  url!: string;
}

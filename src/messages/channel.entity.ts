import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('channels')
export class ChannelEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  id!: string;

  @Column('integer')
  position!: number;

  @Column('text')
  type!: string;

  /** May contain names of secrets. */
  @Column('text')
  url!: string;
}

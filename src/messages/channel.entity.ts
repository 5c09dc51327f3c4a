import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A channel in which a team reads the messages of actions. */
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

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A channel in which a team reads the messages of actions. */
@Entity('channels')
export class ChannelEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** The id in the definition. */
  @PrimaryColumn('text')
  id!: string;

  /** The position in the definition. */
  @Column('integer')
  position!: number;

  /** The type of the channel. */
  @Column('text')
  type!: string;

  /** May contain names of secrets. */
  @Column('text')
  url!: string;
}

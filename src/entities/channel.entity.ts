import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Where a team reads what actions post. */
@Entity('channels')
export class ChannelEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** The id that people chose. */
  @PrimaryColumn('text')
  id!: string;

  /** In the definition. */
  @Column('integer')
  position!: number;

  /** One of the types of channels. */
  @Column('text')
  type!: string;

  /** May hold the names of secrets. */
  @Column('text')
  url!: string;
}

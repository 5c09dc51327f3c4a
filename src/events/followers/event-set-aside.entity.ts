import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('events_set_aside')
export class EventSetAsideEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  follower!: string;

  @PrimaryColumn('bigint')
  eventPlace!: string;

  @Column('text')
  cause!: string;

  @Column('timestamptz')
  createdAt!: Date;
}

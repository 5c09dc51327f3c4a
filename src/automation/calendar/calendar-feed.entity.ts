import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The calendar that a user subscribes to elsewhere. The end of its address is not stored, only its SHA-256. */
@Entity('calendar_feeds')
export class CalendarFeedEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  userId!: string;

  @Column('bytea')
  hash!: Buffer;

  @Column('timestamptz')
  createdAt!: Date;
}

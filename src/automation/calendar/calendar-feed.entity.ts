import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The calendar that a user subscribes to elsewhere. Of the secret end of its address, only the SHA-256 is stored. */
@Entity('calendar_feeds')
export class CalendarFeedEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  userId!: string;

  @Column('bytea')
  hash!: Buffer;
}

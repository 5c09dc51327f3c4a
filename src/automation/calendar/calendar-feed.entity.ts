import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user's calendar for other programs. Its address contains a token, stored only as its SHA-256. */
@Entity('calendar_feeds')
export class CalendarFeedEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  userId!: string;

  @Column('bytea')
  hash!: Buffer;
}

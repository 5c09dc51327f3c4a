import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user's calendar for other programs. Its address contains a token. Only the token's SHA-256 is stored. */
@Entity('calendar_feeds')
export class CalendarFeedEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  userId!: string;

  @Column('bytea')
  hash!: Buffer;
}

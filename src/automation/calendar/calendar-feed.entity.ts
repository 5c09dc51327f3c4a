import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkspace } from '../../common/database/in-workspace.js';

/** A user's calendar for other programs. Its address contains a token. Only the token's SHA-256 is stored. */
@Entity('calendar_feeds')
export class CalendarFeedEntity extends InWorkspace {
  @PrimaryColumn('text')
  userId!: string;

  @Column('bytea')
  hash!: Buffer;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A source is stored as a hash. `rate-limiter-flexible` writes this table. */
@Entity('sign_in_failures')
export class SignInFailureEntity {
  @PrimaryColumn('text')
  key!: string;

  @Column('integer')
  points!: number;

  /** Milliseconds since 1970. */
  @Column('bigint')
  expire!: string;
}

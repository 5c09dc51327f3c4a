import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The number of failed sign-ins by a hash of their source, maintained by `rate-limiter-flexible`. */
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

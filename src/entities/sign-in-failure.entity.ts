import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many attempts to sign in have failed, by a hash of where they came from; counted by `rate-limiter-flexible`. */
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

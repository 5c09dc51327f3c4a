import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A link that signs a user in once; it is nowhere itself, only its SHA-256. */
@Entity('sign_in_links')
export class SignInLinkEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('text')
  userId!: string;

  @Column('timestamptz')
  expiresAt!: Date;

  /** Of a link that was mailed: the SHA-256 of what the browser holds that asked for it, and of that with the code. */
  @Column('bytea', { nullable: true })
  browser!: Buffer | null;

  @Column('bytea', { nullable: true })
  code!: Buffer | null;

  /** How many codes were tried. */
  @Column('integer')
  tries!: number;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A link that signs a user in once. The link is not stored, only its SHA-256. */
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

  /** For a mailed link: the SHA-256 of the requesting browser's token, and of that token with the code. */
  @Column('bytea', { nullable: true })
  browser!: Buffer | null;

  @Column('bytea', { nullable: true })
  code!: Buffer | null;

  /** The number of codes that were tried. */
  @Column('integer')
  tries!: number;
}

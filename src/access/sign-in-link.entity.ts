import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A link that signs a user in once. Of the link, only the SHA-256 is stored. */
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

  /** For a mailed link, two SHA-256 hashes: of the requesting browser's token, and of that token with the code. */
  @Column('bytea', { nullable: true })
  browser!: Buffer | null;

  @Column('bytea', { nullable: true })
  code!: Buffer | null;

  @Column('integer')
  tries!: number;
}

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
}

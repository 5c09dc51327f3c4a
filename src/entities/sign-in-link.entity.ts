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
}

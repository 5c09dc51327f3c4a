import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('users')
export class UserEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  email!: string;

  @Column('text', { nullable: true })
  firstName!: string | null;

  @Column('text', { nullable: true })
  lastName!: string | null;

  @Column('boolean')
  active!: boolean;

  @Column('integer')
  position!: number;
}

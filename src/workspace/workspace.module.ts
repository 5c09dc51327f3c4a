import { busy } from '../lib/errors.js';
import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ActionEntity } from '../entities/action.entity.js';
import { ChecklistTemplateItemEntity } from '../entities/checklist-template-item.entity.js';
import { FieldEntity } from '../entities/field.entity.js';
import { FieldIndexEntity } from '../entities/field-index.entity.js';
import { MemberEntity } from '../entities/member.entity.js';
import { RelationshipEntity } from '../entities/relationship.entity.js';
import { RoleEntity } from '../entities/role.entity.js';
import { StageEntity } from '../entities/stage.entity.js';
import { UserEntity } from '../entities/user.entity.js';
import { WorkflowEntity } from '../entities/workflow.entity.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { FairSemaphore } from '../../packages/fair/semaphore.js';
import { CONFIG, type Config } from '../config.js';
import { taskUrlOf } from '../lib/public-address.js';
import { UnitOfWork } from './unit-of-work.js';
import { Workspaces } from './workspaces.js';

/** Limits reads of many tasks, which keep a processor of the database busy, and the event loop with their results. */
export const SCANS = Symbol('scans');

@Global()
@Module({
  imports: [
    TypeOrmModule.forFeature([
      ActionEntity,
      ChecklistTemplateItemEntity,
      FieldEntity,
      FieldIndexEntity,
      MemberEntity,
      RelationshipEntity,
      RoleEntity,
      StageEntity,
      UserEntity,
      WorkflowEntity,
      WorkspaceEntity,
    ]),
  ],
  providers: [
    {
      provide: Workspaces,
      inject: [DataSource, CONFIG],
      useFactory: (dataSource: DataSource, config: Config) => new Workspaces(dataSource, taskUrlOf(config)),
    },
    {
      provide: UnitOfWork,
      inject: [DataSource, Workspaces, CONFIG],
      useFactory: (dataSource: DataSource, workspaces: Workspaces, { poolSize }: Config) =>
        new UnitOfWork(dataSource, workspaces, writersOf(poolSize)),
    },
    {
      provide: SCANS,
      inject: [CONFIG],
      useFactory: ({ poolSize }: Config) =>
        new FairSemaphore(
          Math.min(4, Math.ceil(poolSize / 4)),
          busy('Too many tasks are being looked through.'),
        ),
    },
  ],
  exports: [TypeOrmModule, UnitOfWork, Workspaces, SCANS],
})
export class WorkspaceModule {}

/** Writes may wait for an apply, so some connections are reserved to reads. */
function writersOf(poolSize: number): FairSemaphore {
  const permits = Math.ceil(poolSize * 0.75);
  return new FairSemaphore(permits, busy('Too many writes are waiting.'), { ofKey: permits * 0.75 });
}

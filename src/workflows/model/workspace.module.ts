import { busy } from '../../common/errors.js';
import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FairSemaphore } from '../../../packages/fair/semaphore.js';
import { CONFIG, type Config } from '../../config.js';
import { taskUrlOf } from '../../common/public-address.js';
import { UnitOfWork } from './unit-of-work.js';
import { Workspaces } from './workspaces.js';
import { DefinitionVersionEntity } from './entities/definition-version.entity.js';
import { DefinitionMigrationEntity } from '../../common/database/definition-migration.entity.js';
import { FieldEntity } from './entities/field.entity.js';
import { RelationshipEntity } from './entities/relationship.entity.js';
import { StageEntity, ChecklistTemplateItemEntity } from './entities/stage.entity.js';
import { UserEntity } from './entities/user.entity.js';
import { WorkflowEntity } from './entities/workflow.entity.js';
import { WorkspaceEntity } from './entities/workspace.entity.js';

/** Limits simultaneous reads of many tasks. Such a read occupies the database and then the event loop. */
export const SCANS = Symbol('scans');

@Global()
@Module({
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
          busy('Too many requests are reading many tasks.'),
        ),
    },
  ],
  exports: [UnitOfWork, Workspaces, SCANS],
})
export class WorkspaceModule {}

/** Writes may wait for an apply, so some connections are reserved for reads. */
function writersOf(poolSize: number): FairSemaphore {
  const permits = Math.ceil(poolSize * 0.75);
  return new FairSemaphore(permits, busy('Too many writes are waiting.'), { ofKey: permits * 0.75 });
}

const administered = ['user.created', 'user.updated', 'user.deactivated', 'user.reactivated'];

export const workspaceFeature = {
  entities: [
    WorkspaceEntity,
    UserEntity,
    WorkflowEntity,
    StageEntity,
    FieldEntity,
    ChecklistTemplateItemEntity,
    RelationshipEntity,
    DefinitionVersionEntity,
    DefinitionMigrationEntity,
  ],
  eventTypes: ['definition.applied', ...administered],
  adminEventTypes: administered,
  modules: [WorkspaceModule],
};

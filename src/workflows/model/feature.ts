import { ChecklistTemplateItemEntity } from './entities/checklist-template-item.entity.js';
import { DefinitionVersionEntity } from './entities/definition-version.entity.js';
import { DefinitionMigrationEntity } from '../../common/database/definition-migration.entity.js';
import { FieldEntity } from './entities/field.entity.js';
import { RelationshipEntity } from './entities/relationship.entity.js';
import { StageEntity } from './entities/stage.entity.js';
import { UserEntity } from './entities/user.entity.js';
import { WorkflowEntity } from './entities/workflow.entity.js';
import { WorkspaceEntity } from './entities/workspace.entity.js';
import { WorkspaceModule } from './workspace.module.js';

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

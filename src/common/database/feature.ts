import { DefinitionMigrationEntity } from './definition-migration.entity.js';

export const databaseFeature = { entities: [DefinitionMigrationEntity] };

import { DefinitionMigrationEntity } from './definition-migration.entity.js';

/** What this folder brings to the service. */
export const databaseFeature = { entities: [DefinitionMigrationEntity] };

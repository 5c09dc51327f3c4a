import { DefinitionMigrationEntity } from './definition-migration.entity.js';

/** The parts that this folder adds to the service. */
export const databaseFeature = { entities: [DefinitionMigrationEntity] };

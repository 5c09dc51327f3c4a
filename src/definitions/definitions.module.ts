import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DefinitionMigrationEntity } from '../entities/definition-migration.entity.js';
import { DefinitionVersionEntity } from '../entities/definition-version.entity.js';
import { IntrospectionController } from './definitions.controller.js';
import { DefinitionsService } from './definitions.service.js';
import { WholeDefinitionController } from './whole-definition.controller.js';

/** Reading the definition, and changing it. */
@Module({
  imports: [TypeOrmModule.forFeature([DefinitionMigrationEntity, DefinitionVersionEntity])],
  controllers: [IntrospectionController, WholeDefinitionController],
  providers: [DefinitionsService],
})
export class DefinitionsModule {}

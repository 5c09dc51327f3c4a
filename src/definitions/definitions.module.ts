import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DefinitionMigrationEntity } from '../entities/definition-migration.entity.js';
import { DefinitionVersionEntity } from '../entities/definition-version.entity.js';
import { IntrospectionController } from './definitions.controller.js';

/** Reading the definition. */
@Module({
  imports: [TypeOrmModule.forFeature([DefinitionMigrationEntity, DefinitionVersionEntity])],
  controllers: [IntrospectionController],
})
export class DefinitionsModule {}

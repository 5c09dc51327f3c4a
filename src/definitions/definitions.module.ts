import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DefinitionMigrationEntity } from '../entities/definition-migration.entity.js';
import { DefinitionVersionEntity } from '../entities/definition-version.entity.js';
import { IntrospectionController } from './definitions.controller.js';
import { IndexFiller } from './index-filler.js';

/** Reading the definition, and finishing what an apply left behind. */
@Module({
  imports: [TypeOrmModule.forFeature([DefinitionMigrationEntity, DefinitionVersionEntity])],
  controllers: [IntrospectionController],
  providers: [IndexFiller],
})
export class DefinitionsModule {}

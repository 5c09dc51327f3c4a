import { Module } from '@nestjs/common';
import { Absences } from './absences.js';
import { IntrospectionController } from './definitions.controller.js';
import { DefinitionsService } from './definitions.service.js';
import { WholeDefinitionController } from './whole-definition.controller.js';

@Module({
  controllers: [IntrospectionController, WholeDefinitionController],
  providers: [Absences, DefinitionsService],
  exports: [Absences, DefinitionsService],
})
export class DefinitionsModule {}

import { Module } from '@nestjs/common';
import { ActionsController } from './actions.controller.js';
import { actions, checkInstallation } from './actions.kind.js';
import { ActionsService } from './actions.service.js';
import { AskEntity, oldAsks } from './asks/ask.entity.js';

@Module({
  controllers: [ActionsController],
  providers: [ActionsService],
  exports: [ActionsService],
})
export class ActionsModule {}

export const actionsFeature = {
  entities: [AskEntity],
  leftovers: [oldAsks],
  kinds: [actions],
  checkWorkflow: checkInstallation,
  modules: [ActionsModule],
};

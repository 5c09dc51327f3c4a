import { Module } from '@nestjs/common';
import { ChecklistsController } from './checklists.controller.js';
import { ChecklistsService } from './checklists.service.js';

@Module({
  controllers: [ChecklistsController],
  providers: [ChecklistsService],
  exports: [ChecklistsService],
})
export class ChecklistsModule {}

export const checklistsFeature = {
  eventTypes: ['checklist_item.created', 'checklist_item.updated', 'checklist_item.deleted'],
  modules: [ChecklistsModule],
};

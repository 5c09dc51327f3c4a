import { ChecklistsModule } from './checklists.module.js';

export const checklistsFeature = {
  eventTypes: ['checklist_item.created', 'checklist_item.updated', 'checklist_item.deleted'],
  modules: [ChecklistsModule],
};

import { ChecklistsModule } from './checklists.module.js';

/** The parts that this folder adds to the service. */
export const checklistsFeature = {
  eventTypes: ['checklist_item.created', 'checklist_item.updated', 'checklist_item.deleted'],
  modules: [ChecklistsModule],
};

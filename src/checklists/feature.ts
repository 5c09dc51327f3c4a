import { ChecklistsModule } from './checklists.module.js';

/** What this folder brings to the service. */
export const checklistsFeature = { modules: [ChecklistsModule] };

import { TasksModule } from './tasks.module.js';

/** What this folder brings to the service. */
export const tasksFeature = { modules: [TasksModule] };

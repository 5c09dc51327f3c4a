import { TimerEntity } from './timer.entity.js';
import { TimersModule } from './timers.module.js';

/** What this folder brings to the service. */
export const timersFeature = { entities: [TimerEntity], modules: [TimersModule] };

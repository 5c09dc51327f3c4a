import { linksImpact } from './links.impact.js';
import { LinksModule } from './links.module.js';

/** The parts that this folder adds to the service. */
export const linksFeature = { impact: linksImpact, modules: [LinksModule] };

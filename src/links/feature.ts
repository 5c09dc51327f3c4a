import { linksImpact } from './links.impact.js';
import { LinksModule } from './links.module.js';

/** What this folder brings to the service. */
export const linksFeature = { impact: linksImpact, modules: [LinksModule] };

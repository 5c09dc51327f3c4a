import { linksImpact } from './links.impact.js';
import { LinksModule } from './links.module.js';

export const linksFeature = { impact: linksImpact, modules: [LinksModule] };

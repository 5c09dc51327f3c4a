import { LinksModule } from './links.module.js';

/** What this folder brings to the service. */
export const linksFeature = { modules: [LinksModule] };

import { LinkEntity } from './link.entity.js';
import { LinksModule } from './links.module.js';

/** What this folder brings to the service. */
export const linksFeature = { entities: [LinkEntity], modules: [LinksModule] };

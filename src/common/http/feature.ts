import { HttpModule } from './http.module.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';

/** What this folder brings to the service. */
export const httpFeature = { entities: [IdempotencyKeyEntity], modules: [HttpModule] };

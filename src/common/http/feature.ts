import { HttpModule } from './http.module.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';

/** The parts that this folder adds to the service. */
export const httpFeature = { entities: [IdempotencyKeyEntity], modules: [HttpModule] };

import { HttpModule } from './http.module.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';

export const httpFeature = { entities: [IdempotencyKeyEntity], modules: [HttpModule] };

import { ApiKeyEntity } from './api-key.entity.js';
import { AuthModule } from './auth.module.js';
import { keysImpact } from './keys.impact.js';
import { SessionEntity } from './session.entity.js';
import { SignInFailureEntity } from './sign-in-failure.entity.js';
import { SignInLinkEntity } from './sign-in-link.entity.js';

/** The parts that this folder adds to the service. */
export const authFeature = {
  entities: [ApiKeyEntity, SessionEntity, SignInFailureEntity, SignInLinkEntity],
  impact: keysImpact,
  adminEventTypes: ['key.created', 'key.rotated', 'key.revoked'],
  modules: [AuthModule],
};

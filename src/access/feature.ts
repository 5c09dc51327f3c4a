import { ApiKeyEntity } from './api-key.entity.js';
import { AuthModule } from './auth.module.js';
import { keysImpact } from './keys.impact.js';
import { SessionEntity } from './session.entity.js';
import { SignInFailureEntity } from './sign-in-failure.entity.js';
import { SignInLinkEntity } from './sign-in-link.entity.js';

const administered = ['key.created', 'key.revoked'];

export const authFeature = {
  entities: [ApiKeyEntity, SessionEntity, SignInFailureEntity, SignInLinkEntity],
  impact: keysImpact,
  eventTypes: administered,
  adminEventTypes: administered,
  modules: [AuthModule],
};

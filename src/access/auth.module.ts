import { Injectable, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyGuard } from './api-key.guard.js';
import { ApiKeysService } from './api-keys.service.js';
import { KnownKeys } from './api-keys.js';
import { RateLimitGuard, WorkflowGuard } from './guards.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { Attempts } from './attempts.js';
import { OidcSignIns } from './oidc-sign-ins.js';
import { Sessions } from './sessions.js';
import { SignIns } from './sign-ins.js';
import { UserEntity } from '../workflows/model/entities/user.entity.js';
import { UsersService } from './users.service.js';
import { Listener } from '../common/database/notifications.js';
import { Health } from '../common/ops/health.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { WhoamiController } from './whoami.controller.js';
import { keysImpact } from './keys.impact.js';
import { SessionEntity, SignInLinkEntity, SignInFailureEntity } from './sign-in.entity.js';

/** Drops cached definitions and keys when this or another process has changed them. */
@Injectable()
export class Announcements {
  constructor(
    private readonly workspaces: Workspaces,
    private readonly keys: KnownKeys,
    listener: Listener,
    health: Health,
  ) {
    listener.on('wts_changes', (payload) => {
      this.forget(payload);
    });
    listener.onLoss(() => void health.postgres.isUp());
  }

  /**
   * Drops all cached keys. If `change` is the id of a workspace, also drops this workspace. If `change` is
   * undefined, notifications were perhaps lost, so every workspace is dropped.
   */
  private forget(change: string | undefined): void {
    // A definition can deactivate a user, which invalidates the keys that act as the user.
    this.keys.forgetAll();
    if (change === undefined) this.workspaces.forgetAll();
    else if (change !== 'keys') this.workspaces.forget(Number(change));
  }
}

/** These guards run before every handler, in this order. The guards of `HttpModule` run after them. */
@Module({
  imports: [TypeOrmModule.forFeature([ApiKeyEntity, UserEntity])],
  controllers: [WhoamiController],
  providers: [
    Announcements,
    Attempts,
    ApiKeysService,
    KnownKeys,
    OidcSignIns,
    Sessions,
    SignIns,
    UsersService,
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: WorkflowGuard },
  ],
  exports: [ApiKeysService, Attempts, KnownKeys, OidcSignIns, Sessions, SignIns, UsersService],
})
export class AuthModule {}

const administered = ['key.created', 'key.revoked'];

export const authFeature = {
  entities: [ApiKeyEntity, SessionEntity, SignInFailureEntity, SignInLinkEntity],
  impact: keysImpact,
  eventTypes: administered,
  adminEventTypes: administered,
  modules: [AuthModule],
};

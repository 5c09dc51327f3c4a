import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Bodies } from './bodies.js';
import { ShareGuard } from './share.guard.js';
import { UnreadGuard } from './unread.guard.js';

@Global()
@Module({
  providers: [
    Bodies,
    { provide: APP_GUARD, useClass: ShareGuard },
    { provide: APP_GUARD, useClass: UnreadGuard },
  ],
  exports: [Bodies],
})
export class HttpModule {}

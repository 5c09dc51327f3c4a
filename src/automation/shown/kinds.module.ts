import { Global, Module } from '@nestjs/common';
import { RunsModule } from '../../executions/runs/runs.module.js';
import { shownKinds } from '../../workflows/definition/kinds.js';
import { routesOf } from './kind-routes.js';
import { KindsService } from './kinds.service.js';

/** The routes of all kinds, and the service that pages use to show and change elements of a kind. */
@Global()
@Module({
  imports: [RunsModule],
  controllers: shownKinds.flatMap(routesOf),
  providers: [KindsService],
  exports: [KindsService],
})
export class KindsModule {}

import { Module } from '@nestjs/common';
import { UnroutedController } from './unrouted.controller.js';

@Module({ controllers: [UnroutedController] })
export class UnroutedModule {}

import { Module } from '@nestjs/common';
import { LinksController } from './links.controller.js';
import { LinksService } from './links.service.js';
import { linksImpact } from './links.impact.js';

@Module({
  controllers: [LinksController],
  providers: [LinksService],
  exports: [LinksService],
})
export class LinksModule {}

export const linksFeature = { impact: linksImpact, modules: [LinksModule] };

import { Module } from '@nestjs/common';
import { type BulkFollower } from '../../events/follower.js';
import { FiguresController } from './figures.controller.js';
import { FiguresService } from './figures.service.js';
import { FlowDayEntity, LengthDayEntity, StageVisitEntity } from './stage-visit.entity.js';
import { followStages } from './visits.repository.js';

@Module({ controllers: [FiguresController], providers: [FiguresService], exports: [FiguresService] })
export class FiguresModule {}

/** Each stay in a stage, and how many tasks moved between stages each day. */
const figuresFollower: BulkFollower = {
  name: 'figures',
  wants: () => true,
  followAll: followStages,
};

export const figuresFeature = {
  entities: [StageVisitEntity, FlowDayEntity, LengthDayEntity],
  followers: [figuresFollower],
  modules: [FiguresModule],
};

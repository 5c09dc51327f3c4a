import { SetMetadata } from '@nestjs/common';

export const isPublic = Symbol('public');

/** Lets a handler answer without a key; everything else is denied by default. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(isPublic, true);

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

export const CurrentStore = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest().store,
);

import { createHash } from 'node:crypto';
import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Store } from './store.entity.ts';

@Injectable()
export class TokenGuard implements CanActivate {
  constructor(@InjectRepository(Store) private readonly stores: Repository<Store>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest();
    const [type, token] = request.headers.authorization?.split(' ') ?? [];
    if (type !== 'Bearer' || !token) throw new UnauthorizedException('Bearer token ausente.');
    const tokenHash = createHash('sha256').update(token).digest('hex');
    const store = await this.stores.findOne({ where: { tokenHash } });
    if (!store) throw new UnauthorizedException('Token inválido ou expirado.');
    if (!store.active) throw new ForbiddenException('Loja inativa.');
    request.store = store;
    return true;
  }
}

import { readContents } from '@payments/database/deliveries/list';
import { findStore } from '@payments/database/stores/stores';
import { inSnapshot } from '@payments/database/transaction';
import type { Actor } from '../../access/actor.ts';
import { ownPayment } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { readPicture } from './picture.ts';

/** A payment as the admin API shows it, with its store and the content of its webhooks. */
export type Picture = Awaited<ReturnType<typeof pictureOf>>;

/** @throws ApiError 404 for an unknown payment, or another store's */
export async function pictureOf({ db }: Pick<AdministrationContext, 'db'>, actor: Actor, given: string) {
  const id = await ownPayment(db, actor, given);
  return inSnapshot(db, async (snapshot) => {
    const picture = await readPicture(snapshot, actor, id);
    const store = await findStore(snapshot, picture.payment.storeId);
    return { ...picture, store, contents: await readContents(snapshot, id) };
  });
}

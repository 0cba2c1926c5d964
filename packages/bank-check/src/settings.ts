import { pixSettings } from '@payments/pix/settings';
import { type Static, Type } from '@sinclair/typebox';

const address = (description: string) =>
  Type.Optional(Type.String({ pattern: '^https?://[^\\s?#]+$', description }));

/** The settings of the check: the bank's, and those that make the callback's address. */
export const checkSettings = Type.Object({
  ...pixSettings,
  PUBLIC_URL: address('Where the bank reaches the API'),
  PIX_CALLBACK_URL: address('The same, where the callback has a host of its own'),
  ADMIN_KEY: Type.Optional(Type.String({ description: 'Part of the address, where the bank has no secret' })),
});

export type CheckSettings = Static<typeof checkSettings>;

/** Path of a refund (API Pix 2.9, `/pix/{e2eid}/devolucao/{id}`). */
export type DevolucaoParams = { e2eid: string; id: string };

export const devolucaoParams = {
  type: 'object',
  properties: {
    e2eid: { $ref: 'api-pix#/definitions/EndToEndId' },
    id: { $ref: 'api-pix#/definitions/DevolucaoId' },
  },
};

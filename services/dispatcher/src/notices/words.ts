import type { Render, RenderPersonal } from '@payments/notices/sending';

/** What mails say until they have words of their own. */

export const render: Render = ({ kind, total }, { panelUrl }) => {
  const subject = total === 1 ? kind : `${kind}: ${total}`;
  return {
    subject,
    text: `${subject}\n${panelUrl}/panel`,
    html: `<p>${subject}</p>`,
    url: `${panelUrl}/panel`,
  };
};

export const renderPersonal: RenderPersonal = ({ kind, link }, { panelUrl }) => {
  const url = link ?? `${panelUrl}/panel`;
  return { subject: kind, text: `${kind}\n${url}`, html: `<p>${kind}</p>`, url };
};

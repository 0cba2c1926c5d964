import t from 'tap';
import { createAddressPolicy } from '../src/addresses.ts';
import { isAcceptableWebhookUrl } from '../src/webhook-url.ts';

const strict = { policy: createAddressPolicy([]), allowPrivate: false, allowHttp: true };
const local = {
  policy: createAddressPolicy(['127.0.0.0/8', '::1/128']),
  allowPrivate: true,
  allowHttp: true,
};

/** [URL, accepted by default, accepted if loopback receivers are allowed] */
const table: [url: string, byDefault: boolean, locally: boolean][] = [
  ['https://store.example/webhooks', true, true],
  ['http://store.example', true, true],
  ['HTTPS://STORE.EXAMPLE/', true, true],
  ['https://store.example:8443/a/b?c=d&e=%20#f', true, true],
  ['https://store.example:1/', true, true],
  ['https://store.example:65535/', true, true],
  ['https://açaí.example/pedido/ção', true, true],
  ['https://xn--aa-8ia1c.example/', true, true],
  ['https://8.8.8.8/hook', true, true],
  ['https://[2606:4700::1111]:8443/hook', true, true],
  [`https://store.example/${'a'.repeat(2000)}`, true, true],
  // only if private receivers are allowed
  ['http://localhost/hook', false, true],
  ['http://localhost:3000/hook', false, true],
  ['http://receiver:3000/hook', false, true],
  ['http://127.0.0.1:3000/hook', false, true],
  ['http://[::1]:3000/hook', false, true],
  ['http://0x7f000001/', false, true],
  // no URLs
  ['', false, false],
  ['store.example', false, false],
  ['//store.example', false, false],
  ['https://', false, false],
  ['https:///hook', false, false],
  ['https:store.example', false, false],
  ['https:/store.example', false, false],
  ['https:\\\\store.example', false, false],
  ['https://store example/', false, false],
  ['https://store.example/a b', false, false],
  [' https://store.example/', false, false],
  ['https://store.example/\n', false, false],
  ['https://-store.example/', false, false],
  ['https://store..example/', false, false],
  ['https://store_1.example/', false, false],
  ['https://store.example./', false, false],
  [`https://store.example/${'a'.repeat(2100)}`, false, false],
  // another scheme
  ['ftp://store.example/', false, false],
  ['file:///etc/passwd', false, false],
  ['javascript:alert(1)', false, false],
  ['data:text/plain,hello', false, false],
  ['gopher://store.example/', false, false],
  ['ws://store.example/', false, false],
  // ports
  ['https://store.example:0/', false, false],
  ['https://store.example:65536/', false, false],
  ['https://store.example:-1/', false, false],
  ['https://store.example:a/', false, false],
  // user and password
  ['https://user@store.example/', false, false],
  ['https://user:secret@store.example/', false, false],
  ['https://:secret@store.example/', false, false],
  ['https://@store.example/', false, false],
  ['https://store.example\\@127.0.0.1/', false, false],
  ['https://store.example%40127.0.0.1/', false, false],
  // control characters, and invalid text
  ['https://store.example/\0', false, false],
  ['https://store.example/a\x01b', false, false],
  ['https://store.example/a\x7fb', false, false],
  ['https://store.example/a\x85b', false, false],
  ['https://store.example/\ud800', false, false],
  ['ht\ntps://store.example/', false, false],
  // addresses that are always forbidden here
  ['http://10.0.0.1/', false, false],
  ['http://169.254.169.254/latest/meta-data', false, false],
  ['http://0.0.0.0/', false, false],
  ['http://[::]/', false, false],
  ['http://[fd00::1]/', false, false],
  ['http://[fe80::1%25eth0]/', false, false],
  ['http://[::ffff:10.0.0.1]/', false, false],
  ['http://[64:ff9b::a00:1]/', false, false],
  ['http://0x0a000001/', false, false],
  ['http://１０.0.0.1/', false, false],
  ['http://10。0。0。1/', false, false],
  ['http://%31%30.0.0.1/', false, false],
  ['http://1.2.3.4.5/', false, false],
  ['http://256.256.256.256/', false, false],
];

t.test('where plain HTTP is not allowed, a URL is https', async (t) => {
  const secure = { ...strict, allowHttp: false };
  t.equal(isAcceptableWebhookUrl('https://store.example/hook', secure), true);
  t.equal(isAcceptableWebhookUrl('HTTPS://store.example/hook', secure), true);
  t.equal(isAcceptableWebhookUrl('http://store.example/hook', secure), false);
});

for (const [url, byDefault, locally] of table) {
  t.test(JSON.stringify(url.slice(0, 60)), async (t) => {
    t.equal(isAcceptableWebhookUrl(url, strict), byDefault, 'by default');
    t.equal(isAcceptableWebhookUrl(url, local), locally, 'with loopback allowed');
  });
}

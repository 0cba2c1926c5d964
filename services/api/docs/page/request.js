const tokenInput = document.querySelector('#token');

/** Reads a request from its form, with the token. */
export function requestOf(form) {
  const { method, path } = form.dataset;
  const request = { method, path, inPath: {}, inQuery: {}, headers: {} };
  const places = { path: request.inPath, query: request.inQuery, header: request.headers };
  for (const { name, value, dataset } of form.querySelectorAll('[data-in]')) {
    if (value.trim() !== '') places[dataset.in][name] = value.trim();
  }
  const token = tokenInput?.value.trim();
  if ('token' in form.dataset && token) request.headers.Authorization = `Bearer ${token}`;
  const body = form.elements.namedItem('body')?.value;
  if (body) {
    request.headers['Content-Type'] = 'application/json';
    request.body = body;
  }
  return request;
}

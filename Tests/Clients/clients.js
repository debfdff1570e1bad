// Node's HTTP/1.1 and HTTP/2 clients: clients.js PUBLIC ADMIN OPS KEY SECURE HOST. Called by clients.py.
'use strict';
const http = require('node:http');
const http2 = require('node:http2');

const [, , publicPort, adminPort, opsPort, key, securePort, host] = process.argv;
const file = '/.well-known/assetlinks.json';

function ask(agent, port, method, path, headers = {}, body = undefined) {
  return new Promise((resolve, reject) => {
    const request = http.request({ agent, port, method, path, headers: { host, ...headers }, host: '127.0.0.1' }, (answer) => {
      let bytes = 0;
      answer.on('data', (part) => { bytes += part.length; });
      answer.on('end', () => resolve({ status: answer.statusCode, bytes, headers: answer.headers }));
      answer.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

function expect(what, found, wanted) {
  if (found !== wanted) throw new Error(`${what}: ${found}, not ${wanted}`);
}

async function http1() {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const bearer = { authorization: `Bearer ${key}` };
  let count = 0;
  for (let round = 0; round < 30; round += 1) {
    for (const [port, method, path, status, headers, body] of [
      [publicPort, 'HEAD', '/nothing', 404], [publicPort, 'GET', file, 200], [publicPort, 'HEAD', file, 200],
      [publicPort, 'POST', '/resolve', 200, {}, '{"url":"yourapp://product/1"}'], [publicPort, 'HEAD', '/resolve', 405],
      [adminPort, 'HEAD', '/nothing', 404], [adminPort, 'GET', '/admin/v1/tenants', 200, bearer],
      [adminPort, 'GET', '/admin/v1/tenants/shop/draft/routes', 200, { ...bearer, accept: 'application/x-ndjson' }],
      [opsPort, 'HEAD', '/nothing', 404], [opsPort, 'GET', '/livez', 200],
    ]) {
      const answer = await ask(agent, port, method, path, headers, body);
      expect(`${method} ${path}`, answer.status, status);
      expect(`${method} ${path} has a body`, answer.bytes > 0, method !== 'HEAD');
      count += 1;
    }
  }
  const etag = (await ask(agent, publicPort, 'GET', file)).headers.etag;
  expect('conditional GET', (await ask(agent, publicPort, 'GET', file, { 'if-none-match': etag })).status, 304);
  agent.destroy();
  console.log(`${count + 2} requests of HTTP/1.1`);
}

function stream(session, method, path, body) {
  return new Promise((resolve, reject) => {
    const request = session.request({ ':method': method, ':path': path, ':authority': host }, { endStream: !body });
    let status = 0;
    let bytes = 0;
    request.on('response', (headers) => { status = headers[':status']; });
    request.on('data', (part) => { bytes += part.length; });
    request.on('end', () => resolve({ status, bytes }));
    request.on('error', reject);
    if (body) request.end(body);
  });
}

async function secure() {
  const session = http2.connect(`https://127.0.0.1:${securePort}`, { rejectUnauthorized: false, servername: host });
  const failed = new Promise((_, reject) => { session.on('error', reject); });
  const all = [];
  for (let round = 0; round < 10; round += 1) {
    for (const [method, path, status, body] of [
      ['GET', file, 200], ['HEAD', file, 200], ['HEAD', '/nothing', 404], ['GET', '/openapi.json', 200],
      ['POST', '/resolve', 200, '{"url":"yourapp://product/1"}'],
    ]) {
      all.push(stream(session, method, path, body).then((answer) => {
        expect(`${method} ${path}`, answer.status, status);
        expect(`${method} ${path} has a body`, answer.bytes > 0, method !== 'HEAD');
      }));
    }
  }
  await Promise.race([Promise.all(all), failed]);
  session.close();
  console.log(`${all.length} requests of HTTP/2`);
}

http1().then(secure).catch((error) => {
  console.error(error.message, error.code || '');
  process.exit(1);
});

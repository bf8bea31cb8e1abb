// Stands between prism and our own GitHub and changes two words of the answers; requests pass as they come.
// Prism reads as JSON whatever calls itself `+json`, and GitHub calls the raw bytes of a file `application/vnd.github.raw+json`.
// And a release says where its files are to be sent: `upload_url`, which would lead past prism.
// Usage: forward.mjs URL FILE, where FILE will say how prism is reached. Prints its own address and serves until it is ended.
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { text } from 'node:stream/consumers';

const [url, file] = process.argv.slice(2);
const upstream = new URL(url);
const server = createServer((asked, answer) => {
  const { method, url: path, headers } = asked;
  const onward = request({ host: upstream.hostname, port: upstream.port, method, path, headers, timeout: 30_000 }, async (came) => {
    const type = came.headers['content-type']?.replace('vnd.github.raw+json', 'vnd.github.raw');
    const said = type ? { ...came.headers, 'content-type': type } : came.headers;
    if (method !== 'GET' || !/\/releases\b/.test(path)) {
      answer.writeHead(came.statusCode, said);
      came.pipe(answer);
      return;
    }
    try {
      const [past, through] = [upstream.origin, readFileSync(file, 'utf8').trim()].map((at) => `"upload_url":"${at}/`);
      const body = Buffer.from((await text(came)).replaceAll(past, through));
      answer.writeHead(came.statusCode, { ...said, 'content-length': body.length }).end(body);
    } catch {
      answer.destroy();
    }
  });
  onward.on('timeout', () => onward.destroy());
  onward.on('error', () => answer.destroy());
  asked.pipe(onward);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

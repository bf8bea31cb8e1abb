// Stands between prism and our own GitHub, because prism reads as JSON whatever calls itself `+json`, and GitHub calls the raw
// bytes of a file `application/vnd.github.raw+json`. Only that one word of an answer is changed; requests pass as they come.
// Usage: forward.mjs URL. Prints its own address and serves until it is ended.
import { createServer, request } from 'node:http';

const upstream = new URL(process.argv[2]);
const server = createServer((asked, answer) => {
  const { method, url, headers } = asked;
  const onward = request({ host: upstream.hostname, port: upstream.port, method, path: url, headers, timeout: 30_000 }, (came) => {
    const type = came.headers['content-type']?.replace('vnd.github.raw+json', 'vnd.github.raw');
    answer.writeHead(came.statusCode, type ? { ...came.headers, 'content-type': type } : came.headers);
    came.pipe(answer);
  });
  onward.on('timeout', () => onward.destroy());
  onward.on('error', () => answer.destroy());
  asked.pipe(onward);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

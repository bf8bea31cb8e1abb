// Sends one request and prints what is answered. With an expression in JavaScript over `status` and `it`, the answer read as
// JSON, it exits 1 unless that holds. Usage: send.mjs URL TOKEN METHOD PATH [BODY] [EXPRESSION]
const [url, token, method, path, body, expression = 'true'] = process.argv.slice(2);
const answer = await fetch(`${url}${path}`, {
  method,
  headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
  body: body || undefined,
  signal: AbortSignal.timeout(10_000),
});
const it = await answer.json();
console.log(JSON.stringify(it, null, 1));
if (!new Function('status', 'it', `return ${expression};`)(answer.status, it)) {
  console.log(`answered ${answer.status}; does not hold: ${expression}`);
  process.exit(1);
}

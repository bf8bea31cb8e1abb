// Cuts GitHub's description of its REST API to the operations that evalratchet uses; all of it takes prism too long to read.
// Usage: cut.mjs DESCRIPTION OUT
import { readFileSync, writeFileSync } from 'node:fs';
import { operations } from './operations.mjs';

const [from, to] = process.argv.slice(2);
const whole = JSON.parse(readFileSync(from));
const paths = {};
const components = {};

for (const [method, path, segments = 1] of operations) {
  const { [method]: operation, parameters = [] } = whole.paths[path] ?? {};
  if (!operation) throw new Error(`GitHub's description has no ${method} ${path}`);
  for (let count = 1; count <= segments; count += 1) {
    const longer = lengthened(path, operation, count);
    paths[longer.path] ??= { parameters };
    paths[longer.path][method] = longer.operation;
  }
}
// The text of this operation speaks of the raw bytes of a file, its list of answers does not.
for (const path of Object.keys(paths).filter((path) => path.includes('/contents/'))) {
  const { content } = paths[path].get.responses['200'];
  if (!content['application/vnd.github.raw']) content['application/vnd.github.raw'] = { schema: { type: 'string' } };
}
follow(paths);
const { openapi, info, servers } = whole;
writeFileSync(to, JSON.stringify({ openapi, info, servers, paths, components }));

// The same operation for a last parameter of so many segments.
function lengthened(path, operation, count) {
  if (count === 1) return { path, operation };
  const name = path.match(/\{(\w+)\}$/)?.[1];
  const parameter = operation.parameters.map(resolved).find((one) => one.in === 'path' && one.name === name);
  if (!parameter?.['x-multi-segment']) throw new Error(`${path} does not end in a parameter of several segments`);
  const more = Array.from({ length: count - 1 }, (_, index) => `${name}_${index + 2}`);
  return {
    path: [path, ...more.map((one) => `{${one}}`)].join('/'),
    operation: {
      ...operation,
      operationId: `${operation.operationId}-${count}`,
      parameters: [...operation.parameters, ...more.map((one) => ({ ...parameter, name: one }))],
    },
  };
}

function resolved(value) {
  return value.$ref ? place(value.$ref).reduce((at, key) => at[key], whole) : value;
}
function place(reference) {
  if (!reference.startsWith('#/components/')) throw new Error(`${reference} leads out of the components`);
  return reference.slice(2).split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

// Takes along every component that is referred to, and what that refers to.
function follow(value) {
  if (value === null || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) {
    const isReference = key === '$ref' && typeof inner === 'string';
    const isMapping = key === 'mapping' && value.propertyName;
    for (const reference of isReference ? [inner] : isMapping ? Object.values(inner) : []) {
      const [, kind, name] = place(reference);
      if (components[kind]?.[name]) continue;
      components[kind] ??= {};
      components[kind][name] = whole.components[kind][name];
      if (!components[kind][name]) throw new Error(`${reference} leads nowhere`);
      follow(components[kind][name]);
    }
    if (!isReference) follow(inner);
  }
}

// Renders Markdown as GitHub does and says what of a hostile text survived: node comment.mjs RUN-ADDRESS FILE...
//
// Allowed outside code: the elements that our templates use, text, and links to the run.

import { readFileSync } from "node:fs";
import rehypeRaw from "rehype-raw";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";

const [run, ...files] = process.argv.slice(2);
const ours = new Set(["blockquote", "br", "code", "details", "em", "h2", "h3", "h4", "li", "p", "pre", "strong", "sub", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul", "a"]);
const forbidden = [
  ["mention", /(?:^|[^\w`/@])@[a-z\d]/i],
  ["reference to an issue", /(?:^|[^\w&])(?:#|GH-)\d/i],
  ["address", /(?:https?:\/\/|www\.)[\w-]+\./i],
];
// GitHub never shows these as text; nobody may smuggle them past a reader of the source either.
const invisible = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/u;
const markdown = unified().use(remarkParse).use(remarkGfm).use(remarkRehype, { allowDangerousHtml: true }).use(rehypeRaw);

let wrong = 0;
for (const file of files) {
  const source = readFileSync(file, "utf8");
  const found = new Set();
  const at = (node) => (node.position ? `line ${node.position.start.line}: ` : "");
  const hidden = invisible.exec(source);
  if (hidden) found.add(`line ${source.slice(0, hidden.index).split("\n").length}: invisible character U+${hidden[0].codePointAt(0).toString(16).padStart(4, "0")}`);

  const raw = markdown.runSync(markdown.parse(source));
  const seen = { code: 0, links: 0 };
  const walk = (node, code, folds) => {
    if (node.type === "comment") found.add(`${at(node)}a comment: ${JSON.stringify(node.value.slice(0, 60))}`);
    if (node.type === "text" && !code) {
      for (const [what, pattern] of forbidden) {
        const hit = pattern.exec(node.value);
        if (hit) found.add(`${at(node)}${what}: ${JSON.stringify(node.value.slice(Math.max(0, hit.index - 20), hit.index + 60))}`);
      }
    }
    if (node.type === "element") {
      if (!ours.has(node.tagName)) found.add(`${at(node)}element <${node.tagName}>`);
      if (["a", "img"].includes(node.tagName)) {
        const href = node.properties.href ?? node.properties.src;
        if (node.tagName === "a" && (href === run || href?.startsWith(`${run}#`))) seen.links += 1;
        else found.add(`${at(node)}<${node.tagName}> to ${JSON.stringify(href)}`);
      }
      if (["code", "pre"].includes(node.tagName)) {
        seen.code += 1;
        code = true;
      }
      if (node.tagName === "details" && (folds += 1) > 2) found.add(`${at(node)}folds within folds`);
    }
    for (const child of node.children ?? []) walk(child, code, folds);
  };
  // Before sanitizing for what it would remove, and after for what readers get.
  walk(raw, false, 0);
  walk(unified().use(rehypeSanitize).runSync(raw), false, 0);

  // The footer closes the text: had a fence or a fold stayed open, it would have swallowed it.
  const last = raw.children.filter((node) => node.type === "element").at(-1);
  if (!last || ["details", "pre", "table"].includes(last.tagName)) found.add(`ends within <${last?.tagName}>`);
  if (!/^(?:blockquote|h2|h3)$/.test(raw.children.find((node) => node.type === "element")?.tagName)) found.add("does not begin with the verdict");

  for (const one of [...found].slice(0, 20)) console.log(`${file}: ${one}`);
  if (!found.size) console.log(`${file}: ${source.length} characters, ${seen.code} pieces of code, ${seen.links} links to the run, nothing else`);
  wrong += found.size;
}
process.exit(wrong || !files.length ? 1 : 0);

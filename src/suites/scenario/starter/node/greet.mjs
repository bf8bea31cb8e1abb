/** Greets whoever is named. */
export function greet(name) {
  return `Hello, ${name}`;
}

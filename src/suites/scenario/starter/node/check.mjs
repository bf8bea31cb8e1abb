// What must hold after the edit. Before it, the second test fails. The name of this file keeps it out of your own tests.
import assert from "node:assert/strict";
import { test } from "node:test";

import { greet } from "./greet.mjs";

test("who is named is greeted", () => assert.equal(greet("Ada"), "Hello, Ada"));
test("without a name the world is greeted", () => assert.equal(greet(), "Hello, world"));

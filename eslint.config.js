// Rules for the page's JavaScript and its unit tests; tsc checks the types.

import js from "@eslint/js";
import globals from "globals";

const MARKUP = "texts of matches and plug-ins are no markup; build elements with h() or s() of dom.js";

const rules = {
  "array-callback-return": "error",
  eqeqeq: "error",
  "no-console": "error",
  "no-else-return": "error",
  "no-eval": "error",
  "no-implicit-coercion": "error",
  "no-implicit-globals": "error",
  "no-implied-eval": "error",
  "no-lonely-if": "error",
  "no-new-func": "error",
  "no-param-reassign": "error",
  "no-restricted-properties": ["error", ...["innerHTML", "outerHTML", "insertAdjacentHTML"].map((property) => ({ property, message: MARKUP }))],
  "no-self-compare": "error",
  "no-shadow": "error",
  "no-template-curly-in-string": "error",
  "no-throw-literal": "error",
  "no-unmodified-loop-condition": "error",
  "no-unreachable-loop": "error",
  "no-unused-expressions": "error",
  "no-useless-return": "error",
  "no-var": "error",
  "no-warning-comments": ["error", { terms: ["@ts-nocheck", "@ts-ignore", "@ts-expect-error"], location: "anywhere" }],
  "object-shorthand": "error",
  "prefer-const": "error",
  "prefer-template": "error",
};

export default [
  js.configs.recommended,
  { rules, linterOptions: { reportUnusedDisableDirectives: "error" } },
  { files: ["boardgames/web/static/**"], languageOptions: { globals: globals.browser } },
  { files: ["tests/web/static/**"], languageOptions: { globals: globals.node } },
];

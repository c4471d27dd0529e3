import js from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig({ ignores: ["dist"] }, js.configs.recommended, tseslint.configs.strictTypeChecked, {
  languageOptions: { parserOptions: { projectService: { allowDefaultProject: ["eslint.config.js"] } } },
  rules: {
    "@typescript-eslint/no-floating-promises": [
      "error",
      { allowForKnownSafeCalls: [{ from: "package", name: "test", package: "node:test" }] },
    ],
    "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
    "no-loss-of-precision": "off", // the schema of a tool may contain any number
    // It takes what is known of a value for true after a wait as well.
    "@typescript-eslint/no-unnecessary-condition": "off",
    "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
  },
});
